import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '..');
const SPECIFICATION = ['interface', 'decisions', 'beyond'] as const;
type Page = (typeof SPECIFICATION)[number];
const PAGE = `(${SPECIFICATION.join('|')})`;
/** `docs/spec/decisions.md#N1, #N7`; in documents also a link relative to the page. */
const CITATION = new RegExp(`spec/${PAGE}\\.md((?:(?:, |,| and )?#[A-Za-z][\\w-]*)*)`, 'g');
/** A page without its folder, or an item without its page: a reader cannot open either. */
const UNRESOLVABLE = [
  new RegExp(`(?<!spec/)\\b${PAGE}\\.md\\b`),
  new RegExp(`\\b${PAGE}(?:\\.md)?,? [A-Z]\\d{1,2}\\b`),
  /\b[A-Z]\d{1,2}(?:(?:,| and) [A-Z]\d{1,2})* of (?:the )?decisions\b/,
];

const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');

/** What can be cited of a page: numbered rows of its tables, numbered headings, and every heading by its slug. */
function itemsOf(text: string): ReadonlySet<string> {
  const rows = [...text.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, item = '']) => item);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  const numbers = headings.flatMap((heading) => /^([A-Z]\d+)\b/.exec(heading)?.[1] ?? []);
  return new Set([...rows, ...numbers, ...headings.map(slugOf)]);
}

/** The citations of a text that lead nowhere, and those in another form than the agreed one. */
function brokenCitations(text: string, pages: Readonly<Record<Page, ReadonlySet<string>>>): readonly string[] {
  const cited = [...text.matchAll(CITATION)].flatMap(([, page = '', items = '']) =>
    [...items.matchAll(/#([\w-]+)/g)].map(([, item = '']) => ({ page: page as Page, item })),
  );
  const missing = cited.filter(({ page, item }) => !pages[page].has(item)).map(({ page, item }) => `${page}.md#${item} does not exist`);
  const unresolvable = text.split('\n').flatMap((line) => UNRESOLVABLE.flatMap((form) => form.exec(line)?.[0] ?? []));
  return [...missing, ...unresolvable.map((found) => `"${found}" cannot be opened; write docs/spec/<page>.md#<item>`)];
}

const pages = Object.fromEntries(
  SPECIFICATION.map((page) => [page, itemsOf(readFileSync(join(root, 'docs/spec', `${page}.md`), 'utf8'))]),
) as Record<Page, ReadonlySet<string>>;

describe('citations of the specification', () => {
  it('resolve to an existing item, in one form', () => {
    const broken = sourceFiles().flatMap((file) =>
      brokenCitations(readFileSync(join(root, file), 'utf8'), pages).map((found) => `${file}: ${found}`),
    );
    expect(broken).toEqual([]);
  });

  it.each([
    ['an item that does not exist', 'see docs/spec/decisions.md#J99', 1],
    ['the second of two items that does not exist', 'docs/spec/decisions.md#J1, #J99', 1],
    ['a heading that does not exist', 'docs/spec/interface.md#no-such-heading', 1],
    ['a page without its folder', '(decisions' + '.md#J1)', 1],
    ['an item without a link', 'decisions' + '.md, J1', 2],
    ['an item of "the decisions"', 'J1 and J2 of the ' + 'decisions', 1],
    ['existing items', 'docs/spec/decisions.md#J1, #J2 and docs/spec/interface.md#errors and docs/spec/beyond.md#B5', 0],
  ])('finds %s', (_, text, count) => {
    expect(brokenCitations(text, pages)).toHaveLength(count);
  });
});

/** Everything that cites, but for the specification itself and this file. */
function sourceFiles(): readonly string[] {
  return ['src', 'test', 'bench', 'examples', 'docs']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((file) => /\.(ts|mjs|md)$/.test(file) && !/(^docs\/spec|\/node_modules)\//.test(file) && file !== 'test/citations.spec.ts')
    .concat('README.md', 'CONTRIBUTING.md');
}
