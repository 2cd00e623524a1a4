import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const foldersOf = (path: string): readonly string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
const folders = foldersOf('src');

/** A table or a row of one, a part of a noun that has its own suffix, or what a thread or a process begins with: each has its place, however short it is. */
const HAS_ITS_PLACE =
  /\.(events|settings|setting-table|state|decider|commands|view|reader|tables|controller|api|dto|module|command-line|rule|channel|destination|importer|sentences|guard|d)\.tsx?$|-(table|worker)\.ts$|\/generated\//;
const SHORT = 30;
const isTest = (path: string): boolean => /\.(spec|int-spec|release-spec|contract)\.tsx?$|\/testing\//.test(path);

describe('the folders of src', () => {
  it('are those that README.md lists', () => {
    const [, list = ''] = readFileSync(join(root, 'README.md'), 'utf8').split('\n| Folder | What it holds |\n');
    const listed = [...(list.split('\n\n')[0] ?? '').matchAll(/^\| `src\/([a-z-]+)` \|/gm)].map(([, name = '']) => name);
    expect(listed.toSorted()).toEqual(folders);
  });

  it('have a row in docs/tour.md, each that is a capability', () => {
    const [, list = ''] = readFileSync(join(root, 'docs/tour.md'), 'utf8').split('\n| Capability | Its rule |');
    const rows = [...(list.split('\n\n')[0] ?? '').matchAll(/^\| ([a-z-]+) \|/gm)].map(([, name = '']) => name);
    const others = ['app', 'client', 'console', 'kernel', 'platform'];
    expect(rows.toSorted()).toEqual(folders.filter((name) => !others.includes(name)));
  });

  it('give their names to those of the acceptance tests', () => {
    expect(foldersOf('test/acceptance').filter((name) => !folders.includes(name))).toEqual([]);
  });

  it('have no short file with one importer in the same capability, which it would stand with', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
    const texts = new Map(sources.map((path) => [`src/${path}`, readFileSync(join(root, 'src', path), 'utf8')]));
    const importers = new Map<string, string[]>();
    for (const [path, text] of texts)
      for (const [, from = ''] of text.matchAll(/(?:\bfrom|\bimport)\s*'(\.{1,2}\/[^']+)'/g)) {
        const imported = relative(root, resolve(root, dirname(path), from));
        importers.set(imported, [...(importers.get(imported) ?? []), path]);
      }
    const capabilityOf = (path: string): string | undefined => path.split('/').at(1);
    const alone = [...texts].filter(([path, text]) => {
      const users = (importers.get(path) ?? []).filter((user) => !isTest(user));
      const [user] = users;
      // A test cannot import what has JSX.
      const isTestedApart = user?.endsWith('.tsx') === true && path.endsWith('.ts') && users.length < (importers.get(path) ?? []).length;
      return (
        !isTest(path) &&
        !HAS_ITS_PLACE.test(path) &&
        text.split('\n').length <= SHORT &&
        users.length === 1 &&
        capabilityOf(user ?? '') === capabilityOf(path) &&
        !isTestedApart
      );
    });
    expect(alone.map(([path]) => path)).toEqual([]);
  });
});
