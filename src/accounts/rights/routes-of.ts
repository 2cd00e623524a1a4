import 'reflect-metadata';
import { RequestMethod } from '@nestjs/common';
import { matchedThing } from '../../platform/http/conditions/if-match.ts';
import { needsRecentSignIn, statedRight } from './needs.ts';
import type { Right } from './right.ts';
import type { Thing } from '../../platform/http/conditions/thing.ts';

export interface Route {
  /** Such as `GET /project/:id`, below the prefix. */
  readonly operation: string;
  readonly controller: Controller;
  /** Name of the method. */
  readonly handler: string;
  /** Undefined: the route states none, and is closed. */
  readonly right: Right | undefined;
  readonly needsRecentSignIn: boolean;
  /** What `If-Match` compares; undefined: the route takes none. */
  readonly matches: Thing | undefined;
}

export type Controller = new (...parts: never[]) => object;

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
const paths = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [typeof value === 'string' ? value : '']);
const joined = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`;

/** Every route of a module and of its imports, read from the metadata of Nest's decorators. */
export function routesOf(root: object): readonly Route[] {
  const seen = new Set<object>();
  const controllers = new Set<Controller>();
  const visit = (entry: unknown): void => {
    const dynamic = typeof entry === 'object' && entry !== null && 'module' in entry ? entry : null;
    const module: unknown = dynamic === null ? entry : dynamic.module;
    if (typeof module !== 'function' || seen.has(module)) return;
    seen.add(module);
    const own = dynamic as { readonly imports?: unknown; readonly controllers?: unknown } | null;
    for (const controller of [...list(Reflect.getMetadata('controllers', module)), ...list(own?.controllers)])
      controllers.add(controller as Controller); // by Nest's contract of @Module
    for (const imported of [...list(Reflect.getMetadata('imports', module)), ...list(own?.imports)]) visit(imported);
  };
  visit(root);
  return [...controllers].flatMap(routesOfController);
}

export function routesOfController(controller: Controller): readonly Route[] {
  const bases = paths(Reflect.getMetadata('path', controller));
  return methodNames(controller.prototype as object).flatMap((name) => {
    const handler: unknown = Reflect.get(controller.prototype as object, name);
    if (typeof handler !== 'function') return [];
    const method: unknown = Reflect.getMetadata('method', handler);
    if (typeof method !== 'number') return [];
    const right = statedRight(handler as () => unknown, controller);
    return bases.flatMap((base) =>
      paths(Reflect.getMetadata('path', handler)).map((path) => ({
        operation: `${RequestMethod[method] ?? ''} ${joined(base, path)}`,
        controller,
        handler: name,
        right,
        needsRecentSignIn: needsRecentSignIn(handler as () => unknown),
        matches: matchedThing(handler as () => unknown),
      })),
    );
  });
}

/** Inherited ones as well, as Nest finds them. */
function methodNames(prototype: object): readonly string[] {
  const names = new Set<string>();
  for (let at: object | null = prototype; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null)
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return [...names];
}
