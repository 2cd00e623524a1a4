import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { capabilityModules } from './capabilities.ts';

/** Under which Nest keeps the command of a handler. */
const COMMAND_HANDLER_METADATA = '__commandHandler__';

it('provides every command handler once', async () => {
  const root = new URL('../', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.commands.ts'));
  const exported = (
    await Promise.all(files.map(async (path) => Object.values((await import(new URL(path, root).href)) as object) as unknown[]))
  ).flat();
  const handlers = exported.filter((value) => typeof value === 'function' && Reflect.hasMetadata(COMMAND_HANDLER_METADATA, value));
  const provided = capabilityModules
    .flatMap((module) => Reflect.getMetadata('providers', module) as unknown[])
    .filter((provider) => typeof provider === 'function' && Reflect.hasMetadata(COMMAND_HANDLER_METADATA, provider));
  const names = (classes: readonly unknown[]) => classes.map((one) => (one as { readonly name: string }).name).toSorted();
  expect(handlers.length).toBeGreaterThan(80);
  expect(names(provided)).toEqual(names(handlers));
});
