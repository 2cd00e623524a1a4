import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Projection } from '../../projections/authoring/define-projection.ts';
import type { View } from '../../projections/authoring/define-view.ts';
import type { TeamPackage } from '../../projections/authoring/team-package.ts';

/** A package that cannot be loaded, or whose exports are not projections. */
export class PackageInvalid extends Error {
  override readonly name = 'PackageInvalid';
}

/** Loads an entry of `PROJECTIONS`: the name of an installed package, or the path of a file or folder relative to `folder`. */
export async function loadPackage(name: string, folder: string): Promise<TeamPackage> {
  let found: unknown;
  try {
    found = await import(pathToFileURL(locate(name, folder)).href);
  } catch (cause) {
    throw new PackageInvalid(
      `PROJECTIONS names ${name}, which cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
  const exported = typeof found === 'object' && found !== null && 'default' in found ? found.default : found;
  const held: unknown = typeof exported === 'object' && exported !== null && 'projections' in exported ? exported.projections : exported;
  const projections = Array.isArray(held) ? (held as readonly unknown[]) : [held];
  if (projections.length === 0 || !projections.every(isDefined)) {
    throw new PackageInvalid(
      `${name} does not export projections: its default export is one of defineProjection(…) or defineView(…), a list of them, or { projections, module }${namedExportHint(found)}`,
    );
  }
  const module = typeof exported === 'object' && exported !== null && 'module' in exported ? exported.module : undefined;
  return { projections, ...(module !== undefined && { module }) };
}

function locate(name: string, folder: string): string {
  const path = resolve(folder, name);
  const require = createRequire(join(folder, 'package.json'));
  if (existsSync(path)) return require.resolve(path);
  if (isAbsolute(name) || name.startsWith('.')) throw new Error(`${path} does not exist`);
  try {
    return require.resolve(name);
  } catch (cause) {
    throw new Error(`it is neither a file (${path}) nor a package installed in ${folder}`, { cause });
  }
}

/** The most common mistake: a named export. */
function namedExportHint(found: unknown): string {
  const named = typeof found === 'object' && found !== null ? Object.entries(found).find(([, value]) => isDefined(value)) : undefined;
  return named === undefined || named[0] === 'default' ? '' : `. It has one called ${named[0]}: add "export default ${named[0]};"`;
}

const isDefined = (candidate: unknown): candidate is Projection | View =>
  typeof candidate === 'object' && candidate !== null && 'name' in candidate && 'version' in candidate && 'handles' in candidate;
