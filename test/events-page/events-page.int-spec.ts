import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { catalogue } from '../../src/domain/events.ts';
import { readSources } from './catalogue-shape.ts';
import { eventsPage } from './events-page.ts';
import { SCHEMAS_FILE, schemasModule } from './json-schemas.ts';

const root = resolve(import.meta.dirname, '../..');
const sources = readSources(root);
const made = eventsPage(sources);

// When it is not: npm run docs:events
it('docs/events.md is up to date with the sources', () => {
  expect(readFileSync(join(root, 'docs/events.md'), 'utf8')).toBe(made);
});

it('the JSON Schemas of the events are up to date with the sources', async () => {
  expect(readFileSync(join(root, SCHEMAS_FILE), 'utf8')).toBe(await schemasModule(sources));
});

it('describes every event, its fields and its writers', () => {
  for (const type of Object.keys(catalogue)) expect(made).toMatch(new RegExp(`^### ${type}\\n`, 'm'));
  expect(made).not.toMatch(/Written by \./);
  expect(made).not.toContain('undefined');
  expect(made).toMatch(/^### ProjectRenamed\n\nReads as “[^”]+”\. Version 1\. Written by .*\[ChangeSettings\]/m);
  expect(made).toMatch(/^### CheckFailed\n[^#]*\| `failing` \| `Failing` \|/m);
  expect(made).toMatch(/^### Failing\n[^#]*\| `rules` \|/m);
});
