import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import '../../bench/support/register.mjs';

// npm run docs:events: docs/events.md and the JSON Schemas of all events, from the sources; with --check, whether both are up to date (npm run check)
const { catalogue } = await import('../../src/events.ts');
const { readSources } = await import('./catalogue-shape.ts');
const { eventsPage } = await import('./events-page.ts');
const { schemasModule, SCHEMAS_FILE } = await import('./json-schemas.ts');

const root = resolve(import.meta.dirname, '../..');
const sources = readSources(root);
const page = eventsPage(sources);
const made = { 'docs/events.md': page, [SCHEMAS_FILE]: await schemasModule(sources) };

describesAll();
if (process.argv.includes('--check')) {
  const late = Object.entries(made).filter(([file, text]) => readFileSync(join(root, file), 'utf8') !== text);
  for (const [file] of late) console.log(`${file} is not up to date with the sources: npm run docs:events`);
  process.exitCode = late.length === 0 ? 0 : 1;
} else for (const [file, text] of Object.entries(made)) writeFileSync(join(root, file), text);

/** Every event, its fields and its writers. */
function describesAll() {
  for (const type of Object.keys(catalogue)) assert.match(page, new RegExp(`^### ${type}\\n`, 'm'));
  assert.doesNotMatch(page, /Written by \./);
  assert.ok(!page.includes('undefined'), 'the page contains "undefined"');
  assert.match(page, /^### ProjectRenamed\n\nReads as “[^”]+”\. Version 1\. Written by .*\[ChangeSettings\]/m);
  assert.match(page, /^### CheckFailed\n[^#]*\| `failing` \| `Failing` \|/m);
  assert.match(page, /^### Failing\n[^#]*\| `rules` \|/m);
}
