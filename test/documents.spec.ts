import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { commandTable } from '../src/app/command-table.ts';

const root = resolve(import.meta.dirname, '..');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'test/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

/** Files and folders of the tree, in prose, code spans and listings; a pattern such as `src/*` names none. */
function missingPaths(text: string): readonly string[] {
  const named = [...text.matchAll(/(?<![\w/.-])((?:src|test|bench|examples|\.ci)\/[\w./-]*\w)(?![\w*<{[])/g)].map(([, path = '']) => path);
  const documented = [...text.matchAll(/`(docs\/[\w./-]+)`/g)].map(([, path = '']) => path);
  return [...named, ...documented].filter((path) => !existsSync(join(root, path)));
}

/** Links within the tree. Code of another language may look like a link. */
function brokenLinks(name: string, text: string): readonly string[] {
  const prose = text.replace(/^```[^]*?^```/gm, '');
  const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) => link);
  return links.filter((link) => !existsSync(join(root, dirname(name), link)));
}

describe.each(documents)('%s', (name) => {
  const text = readFileSync(join(root, name), 'utf8');

  it('names only files and folders that exist', () => {
    expect(missingPaths(text)).toEqual([]);
  });

  it('links only to files that exist', () => {
    expect(brokenLinks(name, text)).toEqual([]);
  });
});

describe('the search for missing files', () => {
  it.each(['see `src/no-such-file.ts`', 'src/no-such-folder/', '    node test/no-such-script.mjs', 'in `docs/no-such-page.md`'])(
    'finds the one in: %s',
    (text) => {
      expect(missingPaths(text)).toHaveLength(1);
    },
  );

  it('accepts files, folders and patterns', () => {
    expect(missingPaths('`src/kernel`, src/main.ts, ls src/*/certificate, `.ci/jest.config.js`')).toEqual([]);
  });

  it('finds a broken link, but not in a listing', () => {
    expect(brokenLinks('docs/x.md', '[a](nowhere.md) [b](../README.md)\n```\na[0](b)\n```\n')).toEqual(['nowhere.md']);
  });
});

it('docs/operations.md lists every command', () => {
  const text = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const [, section = ''] = text.split('\n## Command line\n');
  const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1]);
  expect(listed.toSorted()).toEqual(Object.keys(commandTable).toSorted());
});
