import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Projection } from '../../platform/read-models/authoring/define-projection.ts';
import type { View } from '../../platform/read-models/authoring/define-view.ts';
import type { Reactor } from '../reactors/define-reactor.ts';
import type { TeamPackage } from '../team-package.ts';

/** A package that cannot be loaded, or whose exports are neither projections nor reactors. */
export class PackageInvalid extends Error {
  override readonly name = 'PackageInvalid';
}

export type LoadedPackage = TeamPackage & Required<Pick<TeamPackage, 'projections' | 'reactors'>>;

/** Loads an entry of `PROJECTIONS`: the name of an installed package, or the path of a file or folder relative to `folder`. */
export async function loadPackage(name: string, folder: string): Promise<LoadedPackage> {
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
  const parts = partsOf(exported);
  const members = [...parts.projections, ...parts.reactors];
  if (members.length === 0 || !parts.projections.every(isProjection) || !parts.reactors.every(isReactor)) {
    throw new PackageInvalid(
      `${name} does not export projections or reactors: its default export is one of defineProjection(…), defineView(…) or defineReactor(…), a list of them, or { projections, reactors, module }${namedExportHint(found)}`,
    );
  }
  const module = typeof exported === 'object' && exported !== null && 'module' in exported ? exported.module : undefined;
  return { projections: parts.projections, reactors: parts.reactors, ...(module !== undefined && { module }) };
}

interface Parts {
  readonly projections: readonly unknown[];
  readonly reactors: readonly unknown[];
}

function partsOf(exported: unknown): Parts {
  const named =
    typeof exported === 'object' && exported !== null && ('projections' in exported || 'reactors' in exported) ? exported : null;
  if (named !== null) {
    const { projections = [], reactors = [] }: { readonly projections?: unknown; readonly reactors?: unknown } = named;
    return { projections: listOf(projections), reactors: listOf(reactors) };
  }
  const members = listOf(exported);
  return { projections: members.filter((member) => !isReactor(member)), reactors: members.filter(isReactor) };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : [value]);

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
  const isMember = (value: unknown): boolean => isProjection(value) || isReactor(value);
  const named = typeof found === 'object' && found !== null ? Object.entries(found).find(([, value]) => isMember(value)) : undefined;
  return named === undefined || named[0] === 'default' ? '' : `. It has one called ${named[0]}: add "export default ${named[0]};"`;
}

const isObject = (candidate: unknown): candidate is object => typeof candidate === 'object' && candidate !== null;

const isReactor = (candidate: unknown): candidate is Reactor => isObject(candidate) && 'kind' in candidate && candidate.kind === 'reactor';

const isProjection = (candidate: unknown): candidate is Projection | View =>
  isObject(candidate) && 'name' in candidate && 'version' in candidate && 'handles' in candidate && !isReactor(candidate);
