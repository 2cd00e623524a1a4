import { describe, expect, it } from '@jest/globals';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { HttpModule } from '../../../app/http.module.ts';
import { type Route, routesOf } from '../../../accounts/rights/routes-of.ts';
import { type InputClass, isInputClass, queryOf } from '../validation/input.ts';
import { operationTable } from '../../../app/operation-table.ts';

/** The input classes that a handler declares for its body or its query, from the metadata of Nest's decorators. */
function inputsOf({ controller, handler }: Route, kind: RouteParamtypes): readonly InputClass[] {
  const parameters = Object.keys((Reflect.getMetadata('__routeArguments__', controller, handler) ?? {}) as object);
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler) as readonly unknown[];
  return parameters
    .filter((key) => key.startsWith(`${String(kind)}:`))
    .map((key) => types[Number(key.split(':')[1])])
    .filter(isInputClass);
}

/** Handlers that read their body or query themselves, with an input class or without. */
const readByHand = ['POST /project/create', 'GET /project/create', 'PUT /account/channels/:channel'];

describe('a request is described by the class that reads it', () => {
  const routes = routesOf(HttpModule);

  it.each(routes.map((route) => [route.operation, route] as const))('%s', (operation, route) => {
    const { body, query = {} } = operationTable[operation] ?? {};
    const [input] = inputsOf(route, RouteParamtypes.BODY);
    if (!readByHand.includes(operation)) expect(body?.input).toBe(input);
    for (const parameters of inputsOf(route, RouteParamtypes.QUERY)) expect(query).toEqual(queryOf(parameters));
  });

  it('covers most bodies and some queries', () => {
    expect(routes.filter((route) => inputsOf(route, RouteParamtypes.BODY).length === 1).length).toBeGreaterThan(25);
    expect(routes.filter((route) => inputsOf(route, RouteParamtypes.QUERY).length === 1).length).toBeGreaterThan(3);
  });
});
