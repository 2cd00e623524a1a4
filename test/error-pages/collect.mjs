import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { closeAll } from './software.mjs';

// npm run error-pages -- [--only SOURCE,...]
// Starts the software that this machine has, or npm brings, breaks it, and keeps the pages as they were served, each with how it was made.
// A source that this machine lacks keeps the pages that it gave elsewhere.

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const folder = new URL('sources/', import.meta.url);
const sources = readdirSync(folder)
  .map((file) => file.replace(/\.mjs$/, ''))
  .filter((name) => values.only === undefined || values.only.split(',').includes(name));

for (const source of sources) {
  const { collect } = await import(new URL(`${source}.mjs`, folder));
  const found = [];
  const keep = (page) => found.push({ source, ...page });
  try {
    await collect(keep);
  } catch (error) {
    console.error(`${source}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await closeAll();
  }
  const distinct = [...new Map(found.map((page) => [page.body, page])).values()].filter(({ body }) => body.length > 0);
  const made = { errors: distinct.filter(({ isError }) => isError), healthy: distinct.filter(({ isError }) => !isError) };
  console.log(`${source}: ${String(made.errors.length)} errors, ${String(made.healthy.length)} healthy pages`);
  if (distinct.length === 0) continue;
  for (const kind of ['errors', 'healthy']) {
    const others = read(kind).filter((page) => page.source !== source);
    write(
      kind,
      [...others, ...made[kind]].sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  }
}

function fileOf(kind) {
  return new URL(`${kind}.jsonl.br`, import.meta.url);
}

function read(kind) {
  if (!existsSync(fileOf(kind))) return [];
  const text = brotliDecompressSync(readFileSync(fileOf(kind))).toString();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ isError: kind === 'errors', ...JSON.parse(line) }));
}

function write(kind, pages) {
  const lines = pages.map(({ source, name, how, status, type, body }) => JSON.stringify({ source, name, how, status, type, body }));
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  writeFileSync(fileOf(kind), brotliCompressSync(text, { params }));
}
