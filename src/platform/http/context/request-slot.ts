import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

interface Carrier {
  readonly raw: object;
}

/**
 * One value that a hook, a guard or an interceptor leaves in a request for what comes after it. It is declared where it is set, with its type; a property of
 * the request rather than an entry of a WeakMap, which garbage collection has to examine for every request.
 */
export class RequestSlot<Value> {
  private readonly key: symbol;

  /** `missing`: the error of a handler that asks for a value which was not set. */
  constructor(
    name: string,
    private readonly missing: () => Error = () => new Error(`no ${name}: what sets it did not run before this route`),
  ) {
    this.key = Symbol(name);
  }

  get({ raw }: Carrier): Value | undefined {
    return Reflect.get(raw, this.key) as Value | undefined; // set by this slot alone
  }

  set({ raw }: Carrier, value: Value): void {
    Reflect.set(raw, this.key, value);
  }

  require(request: Carrier): Value {
    const value = this.get(request);
    if (value === undefined) throw this.missing();
    return value;
  }

  /** A decorator for a parameter of a handler. */
  parameter(): () => ParameterDecorator {
    return createParamDecorator((_: unknown, context: ExecutionContext) =>
      this.require(context.switchToHttp().getRequest<FastifyRequest>()),
    );
  }
}
