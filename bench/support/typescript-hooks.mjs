import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const options = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

/** Packages of teams import the sources of this tree. */
export function resolve(specifier, context, next) {
  if (specifier !== 'watchledger/projection') return next(specifier, context);
  return { url: new URL('../../src/projection.ts', import.meta.url).href, shortCircuit: true };
}

/** Lets Node import the TypeScript sources directly. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), { ...options, filename });
  return { format: 'module', source: code, shortCircuit: true };
}
