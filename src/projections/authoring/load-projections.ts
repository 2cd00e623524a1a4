import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Projection, wrongName } from './define-projection.ts';
import type { View } from './define-view.ts';

/** What a package or file of a team exports as its default. */
export interface TeamPackage {
  readonly projections: readonly (Projection | View)[];
  /** A Nest module with controllers of its own. */
  readonly module?: unknown;
}

export interface LoadedPackage extends TeamPackage {
  /** As `PROJECTIONS` has it. */
  readonly from: string;
  /** What was imported. */
  readonly file: string;
  /** Where its files lie. */
  readonly folder: string;
}

/** A package that cannot be loaded, or does not hold what it should; says which, and what to do. */
export class ProjectionPackageInvalid extends Error {
  override readonly name = 'ProjectionPackageInvalid';
}

/** `PROJECTIONS`: names of installed packages, or paths of files and folders from the folder where the service runs. */
export async function loadProjections(
  names: readonly string[],
  folder: string,
  taken: readonly string[],
): Promise<readonly LoadedPackage[]> {
  const packages: LoadedPackage[] = [];
  const known = new Map(taken.map((name) => [name, 'the service itself']));
  for (const name of names) {
    const loaded = await load(name, folder);
    for (const projection of loaded.projections) {
      const wrong = wrongName(projection.name);
      if (wrong !== null) throw new ProjectionPackageInvalid(`${name}: ${wrong}`);
      const other = known.get(projection.name);
      if (other !== undefined)
        throw new ProjectionPackageInvalid(
          `${name}: the projection ${projection.name} is there already, from ${other}; give it another name`,
        );
      known.set(projection.name, name);
    }
    packages.push(loaded);
  }
  return packages;
}

async function load(name: string, folder: string): Promise<LoadedPackage> {
  let found: unknown;
  let file = '';
  try {
    file = locate(name, folder);
    found = await import(pathToFileURL(file).href);
  } catch (cause) {
    throw new ProjectionPackageInvalid(
      `PROJECTIONS names ${name}, which cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
  const exported = typeof found === 'object' && found !== null && 'default' in found ? found.default : found;
  const held: unknown = typeof exported === 'object' && exported !== null && 'projections' in exported ? exported.projections : exported;
  const projections = Array.isArray(held) ? (held as readonly unknown[]) : [held];
  if (projections.length === 0 || !projections.every(isDefined)) {
    throw new ProjectionPackageInvalid(
      `${name} does not export projections: its default export is one of defineProjection(…) or defineView(…), a list of them, or { projections, module }${byName(found)}`,
    );
  }
  const module = typeof exported === 'object' && exported !== null && 'module' in exported ? exported.module : undefined;
  return { from: name, file, folder: dirname(file), projections, ...(module !== undefined && { module }) };
}

function locate(name: string, folder: string): string {
  const path = resolve(folder, name);
  const require = createRequire(join(folder, 'package.json'));
  if (existsSync(path)) return require.resolve(path);
  if (isAbsolute(name) || name.startsWith('.')) throw new Error(`there is no ${path}`);
  try {
    return require.resolve(name);
  } catch (cause) {
    throw new Error(`it is neither a file (${path}) nor a package that is installed in ${folder}`, { cause });
  }
}

/** The commonest slip. */
function byName(found: unknown): string {
  const named = typeof found === 'object' && found !== null ? Object.entries(found).find(([, value]) => isDefined(value)) : undefined;
  return named === undefined || named[0] === 'default' ? '' : `. It has one called ${named[0]}: add "export default ${named[0]};"`;
}

const isDefined = (candidate: unknown): candidate is Projection | View =>
  typeof candidate === 'object' && candidate !== null && 'name' in candidate && 'version' in candidate && 'handles' in candidate;
