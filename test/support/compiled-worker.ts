import { buildSync } from 'esbuild';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');

/** Bundles the entries of worker threads and processes to JavaScript, because jest does not transform them; what several entries import exists once. */
export function compiledWorkers<Entries extends readonly URL[]>(...entries: Entries): { readonly [Entry in keyof Entries]: URL } {
  const files = entries.map((entry) => relative(ROOT, fileURLToPath(entry)).replace(/\.ts$/, ''));
  const outdir = join(ROOT, 'node_modules/.cache/workers', String(process.pid), files.join('+').replaceAll('/', '.'));
  buildSync({
    entryPoints: files.map((file) => ({ in: join(ROOT, `${file}.ts`), out: file })),
    ...{ outdir, bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20.19', packages: 'external' },
    outExtension: { '.js': '.mjs' },
    // Messages and errors name classes.
    keepNames: true,
  });
  // Cast: a mapped tuple.
  return files.map((file) => pathToFileURL(join(outdir, `${file}.mjs`))) as { readonly [Entry in keyof Entries]: URL };
}

export const compiledWorker = (entry: URL): URL => compiledWorkers(entry)[0];
