import { readFile } from 'node:fs/promises';
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transpileInline } from '../../platform/transpile.mjs';

/** Addresses of the running service: its files for what it shares with teams, and a module from which its packages resolve. */
export interface ServiceUrls {
  readonly shared: Readonly<Record<string, string>>;
  readonly root: string;
}

let service: ServiceUrls = { shared: {}, root: '' };

export const initialize: InitializeHook<ServiceUrls> = (urls) => {
  service = urls;
};

/** The projection kit and Nest resolve to those of the running service; so do other packages that a team does not have. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const shared = service.shared[specifier];
  if (shared !== undefined) return { url: shared, shortCircuit: true };
  try {
    return await next(specifier, context);
  } catch (cause) {
    const isBare = !/^(\.|\/|[a-z]+:)/.test(specifier);
    if (!isBare || context.parentURL === service.root) throw cause;
    try {
      return await next(specifier, { ...context, parentURL: service.root });
    } catch {
      throw cause;
    }
  }
};

/** Packages may be TypeScript: compiled without a check of the types. */
export const load: LoadHook = async (url, context, next) => {
  if (!/\.m?ts$/.test(url)) return next(url, context);
  const file = fileURLToPath(url);
  return { format: 'module', source: transpileInline(file, await readFile(file, 'utf8')), shortCircuit: true };
};
