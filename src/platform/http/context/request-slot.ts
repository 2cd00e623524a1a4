import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

const VALUES = Symbol('values of a request');
let slots = 0;

/** A request, or what has its raw one. */
export interface Carrier {
  readonly raw: object & { [VALUES]?: unknown[] };
}

/**
 * One value that a hook, a guard or an interceptor leaves in a request for what comes after it. It is declared where it is set, with its type. All values of
 * a request are one list, a property of the request rather than an entry of a WeakMap, which garbage collection has to examine for every request.
 */
export class RequestSlot<Value> {
  private readonly index = slots++;

  /** `missing`: the error of a handler that asks for a value which was not set. */
  constructor(
    private readonly name: string,
    private readonly missing?: () => Error,
  ) {}

  get({ raw }: Carrier): Value | undefined {
    return raw[VALUES]?.[this.index] as Value | undefined; // set by this slot alone
  }

  set({ raw }: Carrier, value: Value): void {
    (raw[VALUES] ??= new Array<unknown>(slots))[this.index] = value;
  }

  require(request: Carrier): Value {
    const value = this.get(request);
    if (value === undefined) throw this.missing?.() ?? new Error(`no ${this.name}: what sets it did not run before this route`);
    return value;
  }

  /** A decorator for a parameter of a handler. */
  parameter(): () => ParameterDecorator {
    return createParamDecorator((_: unknown, context: ExecutionContext) =>
      this.require(context.switchToHttp().getRequest<FastifyRequest>()),
    );
  }
}
