import 'reflect-metadata';
import { RequestMethod } from '@nestjs/common';

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
const paths = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [typeof value === 'string' ? value : '']);
const joined = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`;

/** Every route of a module and of what it imports, as `GET /project/:id`, read from what the decorators wrote. */
export function routesOf(root: object): readonly string[] {
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

function routesOfController(controller: object): readonly string[] {
  const { prototype } = controller as { readonly prototype: object };
  const bases = paths(Reflect.getMetadata('path', controller));
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof handler !== 'function') return [];
    const method: unknown = Reflect.getMetadata('method', handler);
    if (typeof method !== 'number') return [];
    return bases.flatMap((base) =>
      paths(Reflect.getMetadata('path', handler)).map((path) => `${RequestMethod[method] ?? ''} ${joined(base, path)}`),
    );
  });
}
