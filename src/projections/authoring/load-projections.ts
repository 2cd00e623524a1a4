import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Projection, nameProblem } from './define-projection.ts';
import type { View } from './define-view.ts';

/** The default export of a team's package or file. */
export interface TeamPackage {
  readonly projections: readonly (Projection | View)[];
  /** A Nest module with the team's controllers. */
  readonly module?: unknown;
}

export interface LoadedPackage extends TeamPackage {
  /** As written in `PROJECTIONS`. */
  readonly from: string;
  /** The imported file. */
  readonly file: string;
  /** The folder of that file. */
  readonly folder: string;
}

/** A package that cannot be loaded, or whose exports are not projections. */
export class ProjectionPackageInvalid extends Error {
  override readonly name = 'ProjectionPackageInvalid';
}

/** Loads `PROJECTIONS`: names of installed packages, or paths of files and folders relative to the working directory. */
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
      const problem = nameProblem(projection.name);
      if (problem !== null) throw new ProjectionPackageInvalid(`${name}: ${problem}`);
      const other = known.get(projection.name);
      if (other !== undefined)
        throw new ProjectionPackageInvalid(`${name}: a projection ${projection.name} exists already, from ${other}; choose another name`);
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
      `${name} does not export projections: its default export is one of defineProjection(…) or defineView(…), a list of them, or { projections, module }${namedExportHint(found)}`,
    );
  }
  const module = typeof exported === 'object' && exported !== null && 'module' in exported ? exported.module : undefined;
  return { from: name, file, folder: dirname(file), projections, ...(module !== undefined && { module }) };
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
