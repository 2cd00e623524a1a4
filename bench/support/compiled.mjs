import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.cache/typescript');
const options = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
  sourceMaps: true,
};
const version = JSON.stringify(options);

/** The JavaScript of a TypeScript file, from the cache of former runs where its text is the same. */
export function compiled(filename) {
  const text = readFileSync(filename, 'utf8');
  const place = placeOf(filename, text);
  try {
    return readFileSync(place, 'utf8');
  } catch {
    const { code, map } = transformSync(text, { ...options, filename });
    mkdirSync(folder, { recursive: true });
    write(`${place}.map`, map);
    write(place, code);
    return code;
  }
}

/** Where the source map of a compiled file is; it exists once the file was loaded. */
export const sourceMapOf = (filename) => `${placeOf(filename, readFileSync(filename, 'utf8'))}.map`;

const placeOf = (filename, text) => join(folder, createHash('sha256').update(`${version}\n${filename}\n${text}`).digest('hex'));

/** Several processes may write the same file at once. */
function write(file, text) {
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}
