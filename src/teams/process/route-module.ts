import { Controller, type DynamicModule, Module, Req, RequestMapping, RequestMethod, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../../accounts/rights/needs.ts';
import { READS_TABLES } from '../../platform/postgres/read-replicas/current-replica.ts';
import type { RouteShape } from '../manifest.ts';
import type { TeamRoutes } from './team-routes.ts';

/** Nest tells modules apart by their class, so that each package has one. */
const newModule = (): new () => object => {
  @Module({})
  class TeamRoutesModule {}
  return TeamRoutesModule;
};

/**
 * The routes of a package as controllers of the service, whose handlers forward to the process of the package: guards, budgets, traces and the description treat them as any
 * other route.
 */
export function routeModule(routes: TeamRoutes): DynamicModule {
  const { routes: shapes } = routes.team.manifest;
  const names = [...new Set(shapes.map(({ controller }) => controller))];
  return {
    module: newModule(),
    controllers: names.map((name) =>
      controllerOf(
        name,
        shapes.filter(({ controller }) => controller === name),
        routes,
      ),
    ),
  };
}

/** Decorated by calls, because the names and paths are known at run time only. */
function controllerOf(name: string, shapes: readonly RouteShape[], routes: TeamRoutes): new () => object {
  const made = class {
    readonly from = routes.team.from;
  };
  Object.defineProperty(made, 'name', { value: name });
  Controller()(made);
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => routes.forward(request, reply);
  for (const [index, shape] of shapes.entries()) {
    const [method = '', path = ''] = shape.operation.split(' ');
    const key =
      index === 0 || !shapes.slice(0, index).some((other) => other.handler === shape.handler)
        ? shape.handler
        : `${shape.handler}${String(index)}`;
    const descriptor = { value: handler.bind(null), writable: true, configurable: true, enumerable: false };
    Object.defineProperty(made.prototype, key, descriptor);
    RequestMapping({ path, method: RequestMethod[method as keyof typeof RequestMethod] })(made.prototype, key, descriptor);
    RouteConfig(READS_TABLES)(made.prototype, key, descriptor);
    if (shape.right !== null) Needs(shape.right)(made.prototype, key, descriptor);
    Req()(made.prototype, key, 0);
    Res({ passthrough: true })(made.prototype, key, 1);
  }
  return made;
}
