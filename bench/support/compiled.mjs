import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transpile } from '../../src/platform/transpile.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.cache/typescript');
/** Another version of the compiler, or other options, writes other files. */
const version = `${createRequire(import.meta.url)('oxc-transform/package.json').version} ${readFileSync(new URL('../../src/platform/transpile.mjs', import.meta.url), 'utf8')}`;

/** The JavaScript of a TypeScript file, from the cache of former runs where its text is the same. */
export function compiled(filename) {
  const text = readFileSync(filename, 'utf8');
  const place = placeOf(filename, text);
  try {
    return readFileSync(place, 'utf8');
  } catch {
    const { code, map } = transpile(filename, text);
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
