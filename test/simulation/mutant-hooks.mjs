import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transpileInline } from '../../src/platform/transpile.mjs';

let mutant;
export function initialize(data) {
  mutant = data;
}

/** Loads one file with the bug of the mutant. */
export function load(url, context, next) {
  if (url !== mutant.url) return next(url, context);
  const path = fileURLToPath(url);
  const { find, put } = mutant;
  const source = transpileInline(
    path,
    readFileSync(path, 'utf8').replace(find, () => put),
  );
  return { format: 'module', source, shortCircuit: true };
}
