import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { commandTable } from '../src/cli/command-table.ts';

const root = resolve(import.meta.dirname, '..');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

describe.each(documents)('%s', (name) => {
  const text = readFileSync(join(root, name), 'utf8');

  it('names only files of the tree that are there', () => {
    const named = [...text.matchAll(/`((?:src|test|bench|docs|examples|\.ci)\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('links only to what is there', () => {
    // Code of another language may look like a link.
    const links = [...text.replace(/^```[^]*?^```/gm, '').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !existsSync(join(root, dirname(name), link)))).toEqual([]);
  });
});

it('docs/operations.md lists every command', () => {
  const text = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const listed = [...text.matchAll(/^\| `([a-z]+)` \|/gm)].map((match) => match[1]);
  expect(listed.toSorted()).toEqual(Object.keys(commandTable).toSorted());
});
