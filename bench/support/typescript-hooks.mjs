import { fileURLToPath } from 'node:url';
import { compiled } from './compiled.mjs';

/** Packages of teams, and tests as clients, import the sources of this tree, built or not; `@jest/globals` exists in tests alone. */
const places = new Map(
  Object.entries({
    'watchledger/projection': '../../src/projection.ts',
    'watchledger/client': '../../src/client.ts',
    'watchledger/client/verify': '../../src/client-verify.ts',
    '@jest/globals': '../../.ci/jest/globals.mjs',
  }).map(([name, path]) => [name, new URL(path, import.meta.url).href]),
);

export function resolve(specifier, context, next) {
  const url = places.get(specifier);
  return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
}

/** Lets Node import the TypeScript sources directly. */
export function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true };
}
