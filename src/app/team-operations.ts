import type { Right } from '../accounts/rights/right.ts';
import { type Route, routesOf } from '../accounts/rights/routes-of.ts';
import type { Operation } from '../platform/http/description/operation.ts';
import { anything, text } from '../platform/http/description/schema.ts';
import { objectIdSchema } from '../platform/http/description/vocabulary.ts';

export interface TeamOperation {
  /** Such as `GET /project/:id/failures-by-hour`. */
  readonly key: string;
  readonly right: Right;
  readonly operation: Operation;
}

/**
 * The routes of team packages, as far as their decorators describe them: path, parameters of the path, and right. A route without a right is
 * closed, and omitted.
 */
export const teamOperations = (modules: readonly object[]): readonly TeamOperation[] =>
  modules
    .flatMap(routesOf)
    .flatMap((route) => (route.right === undefined ? [] : [{ key: route.operation, right: route.right, operation: operationOf(route) }]));

function operationOf({ operation, controller, handler }: Route): Operation {
  const [method = '', path = ''] = operation.split(' ');
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    id: ['team', method.toLowerCase(), ...path.split(/\W+/).filter((word) => word !== '')].join('_'),
    tag: 'Teams',
    summary: `${controller.name.replace(/Controller$/, '')}: ${handler}`,
    path: {
      ...Object.fromEntries(named.map((name) => [name, text('Defined by the package')])),
      ...(path.startsWith('/project/:id') ? { id: objectIdSchema('The project') } : {}),
      ...(path.includes('*') ? { tile: text('The rest of the path') } : {}),
    },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: { schema: anything('Defined by the package'), optional: true } }),
    answer: { 'application/json': { schema: anything('Defined by the package') } },
  };
}
