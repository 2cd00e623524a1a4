import { isSetProjection } from '../../platform/read-models/authoring/define-projection.ts';
import type { Manifest, ProjectionShape } from '../manifest.ts';
import { type LoadedPackage, PackageInvalid } from './load-package.ts';
import type { TeamModule } from './serve-routes.ts';

/** What the service has to know of a loaded package. */
export async function manifestOf(from: string, { projections, reactors, module }: LoadedPackage): Promise<Manifest> {
  if (module !== undefined && !isModule(module))
    throw new PackageInvalid(`${from}: its module is not a Nest module, such as a class with @Module({ controllers: […] })`);
  return {
    projections: projections.map((projection) => shapeOf(from, projection)),
    reactors: reactors.map(({ name, from: start, handles }) => ({ name, from: start, handles: [...handles] })),
    routes: (module === undefined ? [] : await declaredRoutes(module)).map(({ operation, controller, handler, right }) => ({
      operation,
      controller: controller.name,
      handler,
      right: right ?? null,
    })),
  };
}

/** Nest is loaded where there are routes. */
const declaredRoutes = async (module: TeamModule) => (await import('../../accounts/rights/routes-of.ts')).routesOf(module);

function shapeOf(from: string, projection: LoadedPackage['projections'][number]): ProjectionShape {
  const { name, version } = projection;
  const handles = [...projection.handles];
  if (isSetProjection(projection)) return { kind: 'set', name, version, handles, columns: {}, indexes: [] };
  if (projection.summaries !== null)
    throw new PackageInvalid(`${from}: the view ${name} has summaries, which are for views of the service`);
  const columns = Object.entries(projection.columns).map(([column, { kind, indexed }]) => [column, { kind, indexed }] as const);
  return { kind: 'view', name, version, handles, columns: Object.fromEntries(columns), indexes: projection.indexes };
}

export const isModule = (module: unknown): module is TeamModule =>
  typeof module === 'function' || (typeof module === 'object' && module !== null && 'module' in module);
