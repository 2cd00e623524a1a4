import 'reflect-metadata';
import type { Right } from './right.ts';

const KEY = 'watchledger:right';

/**
 * What a route of a team asks of its caller, said where the route is: `@Needs(project('read'))` above a handler, or above a class for all of it.
 * Routes of the service itself have a row in the rights table instead, which alone decides about them.
 */
export const Needs =
  (right: Right): ClassDecorator & MethodDecorator =>
  (target: object, _name?: string | symbol, method?: PropertyDescriptor) => {
    Reflect.defineMetadata(KEY, right, (method?.value as object | undefined) ?? target);
  };

/** Undefined: nothing was said, and the route stays closed. */
export function statedRight(handler: object, controller: object): Right | undefined {
  return (Reflect.getMetadata(KEY, handler) ?? Reflect.getMetadata(KEY, controller)) as Right | undefined;
}
