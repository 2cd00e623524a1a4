import { Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { mayWrite } from '../platform/http/context/request-context.ts';
import { operationTable } from './operation-table.ts';
import { carriesOperations, WriteInterceptor } from '../platform/http/idempotency/write.interceptor.ts';
import { ListInterceptor } from './list.interceptor.ts';
import { type Controller, routesOfController } from '../accounts/rights/routes-of.ts';

/** What `@UseInterceptors` writes. */
const METADATA = '__interceptors__';

/**
 * Gives each route the interceptors that have work on it. A global one costs every request: Nest runs its chain through observables, also where it does
 * nothing (docs/decisions/requests.md).
 */
@Injectable()
export class RouteInterceptors {
  constructor(
    private readonly modules: ModulesContainer,
    @Inject(WriteInterceptor) private readonly write: NestInterceptor,
    @Inject(ListInterceptor) private readonly list: NestInterceptor,
  ) {}

  /** To be called before Nest reads the routes; the outermost interceptor first. */
  bind(): void {
    for (const { controllers } of this.modules.values())
      // By Nest's contract of @Module.
      for (const { metatype } of controllers.values()) this.bindTo(metatype as Controller);
  }

  private bindTo(controller: Controller): void {
    const needed = new Map<object, Set<NestInterceptor>>();
    for (const { operation, handler } of routesOfController(controller)) {
      const method = Reflect.get(controller.prototype as object, handler) as object;
      const ofMethod = needed.get(method) ?? new Set();
      for (const interceptor of this.neededBy(operation, method)) ofMethod.add(interceptor);
      needed.set(method, ofMethod);
    }
    for (const [method, interceptors] of needed) {
      const others = ((Reflect.getMetadata(METADATA, method) ?? []) as readonly unknown[]).filter((other) => !isOurs(other));
      Reflect.defineMetadata(METADATA, [...interceptors, ...others], method);
    }
  }

  private neededBy(operation: string, handler: object): readonly NestInterceptor[] {
    const [method = '', path = ''] = operation.split(' ');
    return [
      ...(mayWrite(method, `/api${path}`) && !carriesOperations(handler) ? [this.write] : []),
      ...(operationTable[operation]?.list === undefined ? [] : [this.list]),
    ];
  }
}

/** True also for the interceptors of another application in this process, such as an earlier one of a test. */
const isOurs = (interceptor: unknown): boolean => interceptor instanceof WriteInterceptor || interceptor instanceof ListInterceptor;
