import 'reflect-metadata';
import { RequestMethod } from '@nestjs/common';
import type { Right } from './right.ts';
import { statedRight } from './stated-right.ts';

export interface Route {
  /** As `GET /project/:id`, below the prefix. */
  readonly operation: string;
  /** The class, and the method of it, that answer. */
  readonly controller: string;
  readonly handler: string;
  /** What it states itself, which only routes of teams do. */
  readonly stated: Right | undefined;
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
const paths = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [typeof value === 'string' ? value : '']);
const joined = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`;

/** Every route of a module and of what it imports, read from what the decorators wrote. */
export function routesOf(root: object): readonly Route[] {
  const seen = new Set<object>();
  const controllers = new Set<object>();
  const visit = (entry: unknown): void => {
    const dynamic = typeof entry === 'object' && entry !== null && 'module' in entry ? entry : null;
    const module: unknown = dynamic === null ? entry : dynamic.module;
    if (typeof module !== 'function' || seen.has(module)) return;
    seen.add(module);
    const own = dynamic as { readonly imports?: unknown; readonly controllers?: unknown } | null;
    for (const controller of [...list(Reflect.getMetadata('controllers', module)), ...list(own?.controllers)])
      controllers.add(controller as object);
    for (const imported of [...list(Reflect.getMetadata('imports', module)), ...list(own?.imports)]) visit(imported);
  };
  visit(root);
  return [...controllers].flatMap(routesOfController);
}

function routesOfController(controller: object): readonly Route[] {
  const { prototype, name: className } = controller as { readonly prototype: object; readonly name: string };
  const bases = paths(Reflect.getMetadata('path', controller));
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof handler !== 'function') return [];
    const method: unknown = Reflect.getMetadata('method', handler);
    if (typeof method !== 'number') return [];
    const stated = statedRight(handler, controller);
    return bases.flatMap((base) =>
      paths(Reflect.getMetadata('path', handler)).map((path) => ({
        operation: `${RequestMethod[method] ?? ''} ${joined(base, path)}`,
        controller: className,
        handler: name,
        stated,
      })),
    );
  });
}
