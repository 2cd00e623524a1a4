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

/** A real example of what README.md says how to add, by the words that name it. */
const EXAMPLES: Readonly<Record<string, RegExp>> = {
  'a rule': /'link-canonical'|\bcanonicalRow\b/,
  'a setting of a project': /\b(?:webPushEnabled|WebPushSwitched)\b/,
  'a channel': /\b(?:pushover\w*|Pushover)\b/,
  'an event': /\bSystemRoleChanged\b/,
  'a read model of the service': /\bresponseDaysView\b/,
};
/** What README.md names for a row, without which an example may be: the lists of lists, and what not every example needs. */
const NOT_ALWAYS = ['src/events.ts', 'src/history/summary.ts', 'src/console/timeline/event-kinds.ts'];

describe('the table of README.md that says where to add what', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => /\.tsx?$/.test(path) && !isTest(path) && !path.includes('/generated/'));

  it.each(Object.entries(EXAMPLES))('names every place of %s', (what, example) => {
    const [, row = ''] = readme.split(`\n| ${what} | `);
    const places = [...(row.split('\n')[0] ?? '').matchAll(/`(src\/[^`]+|\.[a-z-]+\.ts)`/g)].map(([, place = '']) => place);
    const isIn = (file: string, place: string): boolean =>
      place.startsWith('.') ? file.endsWith(place) : file === place || file.startsWith(`${place}/`);
    const files = sources.filter((path) => example.test(readFileSync(join(root, path), 'utf8')));
    expect(files.filter((file) => !places.some((place) => isIn(file, place)))).toEqual([]);
    expect(places.filter((place) => !NOT_ALWAYS.includes(place) && !files.some((file) => isIn(file, place)))).toEqual([]);
  });
});

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
