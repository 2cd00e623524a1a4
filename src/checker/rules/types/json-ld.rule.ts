import type { Page } from '../../page/page.ts';
import { ofNumber } from '../comparers.ts';
import { MAX_VALUES, jsonText } from '../json-path.ts';
import { type RuleRow, textRow } from '../rule-row.ts';

interface Blocks {
  readonly values: readonly { readonly value: unknown; readonly block: number }[];
  /** Blocks that are not valid JSON. */
  readonly broken: number;
}

const known = new WeakMap<Page, Blocks>();

function blocksOf(page: Page): Blocks {
  const before = known.get(page);
  if (before !== undefined) return before;
  const values: { value: unknown; block: number }[] = [];
  let broken = 0;
  for (const [block, text] of page.elements.linkedData.entries()) {
    try {
      values.push({ value: JSON.parse(text), block });
    } catch {
      broken++;
    }
  }
  const blocks = { values, broken };
  known.set(page, blocks);
  return blocks;
}

type Item = Readonly<Record<string, unknown>>;
type Location = readonly (string | number)[];

/** A value, and where it stands in which block. */
interface Located<Value = unknown> {
  readonly value: Value;
  readonly block: number;
  readonly location: Location;
}

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);
const areItems = (found: readonly Located[]): readonly Located<Item>[] =>
  found.flatMap(({ value, ...where }) => (isItem(value) ? [{ value, ...where }] : []));

const listed = ({ value, block, location }: Located): readonly Located[] =>
  Array.isArray(value)
    ? value.map((one: unknown, index) => ({ value: one, block, location: [...location, index] }))
    : [{ value, block, location }];
const memberOf = ({ value, block, location }: Located<Item>, name: string): readonly Located[] =>
  Object.hasOwn(value, name) ? listed({ value: value[name], block, location: [...location, name] }) : [];

/** The items of a block: itself, the elements of an array, and those of `@graph`. */
const itemsOf = (block: Located): readonly Located<Item>[] =>
  areItems(listed(block)).flatMap((item) => [item, ...areItems(memberOf(item, '@graph'))]);

/** A first name with an upper-case letter is a type, without the address of its vocabulary. */
function startOf(
  items: readonly Located<Item>[],
  names: readonly string[],
): { readonly from: readonly Located<Item>[]; readonly names: readonly string[] } {
  const [first = '', ...rest] = names;
  if (!/^\p{Lu}/u.test(first)) return { from: items, names };
  const isOfType = (item: Located<Item>): boolean =>
    memberOf(item, '@type').some(
      ({ value: type }) => typeof type === 'string' && type.slice(Math.max(type.lastIndexOf('/'), type.lastIndexOf('#')) + 1) === first,
    );
  return { from: items.filter(isOfType), names: rest };
}

/** The values of a path, and where each stands. */
export function linkedValues(page: Page, path: string): readonly Located[] {
  const items = blocksOf(page).values.flatMap(({ value, block }) => itemsOf({ value, block, location: [] }));
  const { from, names } = startOf(items, path.split('.'));
  let found: readonly Located[] = from;
  for (const name of names) found = areItems(found).flatMap((item) => memberOf(item, name));
  return found.slice(0, MAX_VALUES);
}

/** `json-ld:<path>`: a property of the linked data in a page, as `name`, `offers.price` or `Product.offers.price`. */
export const jsonLdRow = (path: string): RuleRow =>
  textRow(
    `the JSON-LD value ${path}`,
    'no such value',
    (_, page) => {
      const values = linkedValues(page, path).map(({ value }) => jsonText(value));
      const { broken } = blocksOf(page);
      const why =
        broken === 0
          ? {}
          : { why: `no such value, and ${String(broken)} JSON-LD ${broken === 1 ? 'block that is' : 'blocks that are'} not valid JSON` };
      return { values, moreToCome: page.cut, ...why };
    },
    { comparers: ofNumber, isExpensive: true },
  );
