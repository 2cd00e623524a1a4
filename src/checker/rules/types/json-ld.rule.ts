import type { Page } from '../../page/page.ts';
import { ofNumber } from '../comparers.ts';
import { MAX_VALUES, jsonText } from '../json-values.ts';
import { type RuleRow, textRow } from '../rule-row.ts';

interface Blocks {
  readonly values: readonly unknown[];
  /** Blocks that are not valid JSON. */
  readonly broken: number;
}

const known = new WeakMap<Page, Blocks>();

function blocksOf(page: Page): Blocks {
  const before = known.get(page);
  if (before !== undefined) return before;
  const values: unknown[] = [];
  let broken = 0;
  for (const text of page.elements.linkedData) {
    try {
      values.push(JSON.parse(text));
    } catch {
      broken++;
    }
  }
  const blocks = { values, broken };
  known.set(page, blocks);
  return blocks;
}

type Item = Readonly<Record<string, unknown>>;
const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);
const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const memberOf = (item: Item, name: string): readonly unknown[] => (Object.hasOwn(item, name) ? listed(item[name]) : []);

/** The items of a block: itself, the elements of an array, and those of `@graph`. */
const itemsOf = (block: unknown): Item[] =>
  listed(block)
    .filter(isItem)
    .flatMap((item) => (Object.hasOwn(item, '@graph') ? [item, ...memberOf(item, '@graph').filter(isItem)] : [item]));

/** A first name with an upper-case letter is a type, without the address of its vocabulary. */
function startOf(items: readonly Item[], names: readonly string[]): { readonly from: readonly Item[]; readonly names: readonly string[] } {
  const [first = '', ...rest] = names;
  if (!/^\p{Lu}/u.test(first)) return { from: items, names };
  const isOfType = (item: Item): boolean =>
    memberOf(item, '@type').some(
      (type) => typeof type === 'string' && type.slice(Math.max(type.lastIndexOf('/'), type.lastIndexOf('#')) + 1) === first,
    );
  return { from: items.filter(isOfType), names: rest };
}

function valuesOf(page: Page, path: string): string[] {
  const { from, names } = startOf(blocksOf(page).values.flatMap(itemsOf), path.split('.'));
  let values: readonly unknown[] = from;
  for (const name of names) values = values.filter(isItem).flatMap((item) => memberOf(item, name));
  return values.slice(0, MAX_VALUES).map(jsonText);
}

/** `json-ld:<path>`: a property of the linked data in a page, as `name`, `offers.price` or `Product.offers.price`. */
export const jsonLdRow = (path: string): RuleRow =>
  textRow(
    `the JSON-LD value ${path}`,
    'no such value',
    (_, page) => {
      const values = valuesOf(page, path);
      const { broken } = blocksOf(page);
      const why =
        broken === 0
          ? {}
          : { why: `no such value, and ${String(broken)} JSON-LD ${broken === 1 ? 'block that is' : 'blocks that are'} not valid JSON` };
      return { values, moreToCome: page.cut, ...why };
    },
    { comparers: ofNumber, isExpensive: true },
  );
