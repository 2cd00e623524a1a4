import { transformFileSync } from '@swc/core';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');
const RELATIVE_IMPORT = /(\bfrom\s*|\bimport\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g;

/** Compiles the entry of a worker thread and its imports to JavaScript, because jest does not transform worker threads. */
export function compiledWorker(entry: URL): URL {
  const out = join(ROOT, 'node_modules/.cache/workers', String(process.pid));
  const seen = new Set<string>();
  const compile = (file: string): string => {
    const target = join(out, relative(ROOT, file)).replace(/\.ts$/, '.mjs');
    if (seen.has(file)) return target;
    seen.add(file);
    const { code } = transformFileSync(file, {
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'es6' },
    });
    for (const [, , , path] of code.matchAll(RELATIVE_IMPORT)) compile(resolve(dirname(file), `${path ?? ''}.ts`));
    mkdirSync(dirname(target), { recursive: true });
    // Atomically: another test worker may be reading the file.
    writeFileSync(`${target}.new`, code.replace(RELATIVE_IMPORT, '$1$2$3.mjs$2'));
    renameSync(`${target}.new`, target);
    return target;
  };
  return pathToFileURL(compile(fileURLToPath(entry)));
}
