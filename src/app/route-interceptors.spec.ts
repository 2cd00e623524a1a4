import 'reflect-metadata';
import { Controller, Get, type NestInterceptor, Put, UseInterceptors } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { beforeAll, expect, it } from '@jest/globals';
import { HttpModule } from './http.module.ts';
import { WriteInterceptor } from '../platform/http/idempotency/write.interceptor.ts';
import { ListInterceptor } from './list.interceptor.ts';
import { type Controller as ControllerClass, type Route, routesOf, routesOfController } from '../accounts/rights/routes-of.ts';
import { RouteInterceptors } from './route-interceptors.ts';

class OfTeam implements NestInterceptor {
  intercept(): never {
    throw new Error('is not called');
  }
}

@Controller('team')
class TeamController {
  @Get()
  @UseInterceptors(OfTeam)
  read(): string {
    return 'read';
  }

  @Put(['one', 'other'])
  @UseInterceptors(OfTeam)
  write(): string {
    return 'written';
  }
}

const controllers = [...new Set(routesOf(HttpModule).map(({ controller }) => controller)), TeamController];

/** As an application does at its start. */
function bind(): readonly NestInterceptor[] {
  const entries = controllers.map((metatype): [object, object] => [metatype, { metatype }]);
  const modules = new Map([['module', { controllers: new Map(entries) }]]) as unknown as ModulesContainer;
  const [write, list] = [WriteInterceptor, ListInterceptor].map((type) => Object.create(type.prototype as object) as NestInterceptor);
  if (write === undefined || list === undefined) throw new Error('both are made');
  new RouteInterceptors(modules, write, list).bind();
  return [write, list];
}

const boundTo = ({ controller, handler }: Pick<Route, 'controller' | 'handler'>): readonly unknown[] =>
  Reflect.getMetadata('__interceptors__', Reflect.get(controller.prototype as object, handler) as object) as readonly unknown[];
const of = (operation: string): readonly unknown[] => {
  const route = routesOf(HttpModule).find((found) => found.operation === operation);
  if (route === undefined) throw new Error(`there is no ${operation}`);
  return boundTo(route);
};
const ofTeam = (): readonly (readonly unknown[])[] => routesOfController(TeamController as ControllerClass).map(boundTo);

let write: NestInterceptor | undefined;
let list: NestInterceptor | undefined;
beforeAll(() => {
  bind();
  [write, list] = bind();
});

it('binds nothing to a read, because each interceptor costs every request', () => {
  expect(of('GET /project/:id')).toEqual([]);
  expect(of('GET /test/:id')).toEqual([]);
});

it('binds the command context and keyed writes to everything that may write, also by GET', () => {
  expect(of('PUT /project/:id')).toEqual([write]);
  expect(of('GET /project/create')).toEqual([write]);
  // The operations of a batch have their own.
  const writes = routesOf(HttpModule).filter(({ operation }) => !operation.startsWith('GET ') && operation !== 'POST /batch');
  for (const route of writes) expect([route.operation, boundTo(route).includes(write)]).toEqual([route.operation, true]);
});

it('binds the parameters of lists to lists', () => {
  expect(of('GET /projects')).toEqual([list]);
  expect(of('GET /project/:id/history')).toEqual([list]);
});

it('keeps the interceptors of a team, and those of the latest application only', () => {
  expect(ofTeam()).toEqual([[OfTeam], [write, OfTeam], [write, OfTeam]]);
});
