import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { flag, list, named, orNull, record, text, type ValueOf } from '../description/schema.ts';
import { encodeCursor } from './cursor.ts';
import { pickFields, readWantedFields } from './item-fields.ts';
import { readListRequest } from './list-request.ts';
import { pagedList, shortList } from './list.ts';
import { pageOf } from '../../../app/list.interceptor.ts';

const item = named(
  'Thing',
  record('A thing', {
    id: text('Id'),
    name: orNull(text('Name')),
    at: text('Time'),
    open: flag('Open'),
    owner: orNull(record('Owner', { name: text('Name'), age: text('Age') })),
    parts: list(record('A part', { kind: text('Kind'), size: text('Size') }), 'Parts'),
  }),
);
type Thing = ValueOf<typeof item>;
const things = shortList(item, {
  ...{ name: 'things', key: 'id', sorts: ['name', '-at', 'open'], search: ['name'] },
  status: { words: ['open', 'closed'], of: ({ open }) => (open ? 'open' : 'closed') },
});
const strict = pagedList(item, { name: 'strict', sorts: ['id'], defaultLimit: 100, otherParameters: ['from'] });

const thing = (id: string, more: Partial<Thing> = {}): Thing => ({
  ...{ id, name: id, at: '2026-01-01T00:00:00+00:00', open: true, owner: { name: 'Ada', age: '36' }, parts: [{ kind: 'a', size: 'b' }] },
  ...more,
});

/** Every page in turn; `between` changes the items after each page. */
function walk(
  items: readonly Thing[],
  query: Record<string, string>,
  between: (items: readonly Thing[]) => readonly Thing[] = (same) => same,
) {
  const found: string[] = [];
  let held = items;
  for (let cursor: string | null = ''; cursor !== null;) {
    const request = readListRequest(things, { ...query, ...(cursor !== '' && { cursor }) }, []);
    const page = pageOf(things, held, request);
    found.push(...page.items.map((one) => (one as Thing).id));
    cursor = page.end === null ? null : encodeCursor({ list: ['things'], sort: request.sort }, page.end);
    held = between(held);
  }
  return found;
}

describe('the pages of a short list', () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 30 });

  it('joined are the whole list, in any order and with equal and missing values', () => {
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 7 }), fc.constantFrom('name', '-name', 'at', 'open', '-open'), (ids, limit, sort) => {
        const items = ids.map((id, index) => thing(id, { name: index % 3 === 0 ? null : id, open: index % 2 === 0 }));
        const paged = walk(items, { limit: String(limit), sort });
        expect([...paged].sort()).toEqual([...ids].sort());
        expect(paged).toEqual(walk(items, { limit: '1000', sort }));
      }),
    );
  });

  it('show each item that stays once, while others are inserted and deleted', () => {
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 3 }), (ids, limit) => {
        let round = 0;
        const staying = ids.filter((_, index) => index % 2 === 0);
        const found = walk(
          ids.map((id) => thing(id)),
          { limit: String(limit) },
          (items) => {
            round++;
            if (round > 5) return items;
            return [thing(`!${String(round)}-new`), ...items.filter(({ id }) => staying.includes(id)), thing(`~${String(round)}-new`)];
          },
        );
        expect(found.filter((id) => staying.includes(id)).sort()).toEqual([...staying].sort());
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });

  it('compare instants by what they mean, and ids that are numbers by their value', () => {
    const items = [thing('a', { at: '2026-01-01T12:00:00+02:00' }), thing('b', { at: '2026-01-01T11:00:00+00:00' })];
    expect(walk(items, { sort: 'at' })).toEqual(['a', 'b']);
    expect(walk([thing('10'), thing('9')], { sort: 'name' })).toEqual(['9', '10']);
  });

  it('keep the order of the answer when only filters are given', () => {
    expect(walk([thing('b'), thing('a', { open: false }), thing('aB')], { search: 'B' })).toEqual(['b', 'aB']);
    expect(walk([thing('b'), thing('a', { open: false })], { status: 'closed' })).toEqual(['a']);
  });
});

describe('the parameters of a list', () => {
  const refusal = (query: Record<string, unknown>, definition = things): string => {
    try {
      readListRequest(definition, query, ['p1']);
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const cursor = (sort: string, owner = ['things', 'p1']): string => encodeCursor({ list: owner, sort }, { value: 'x', key: 'x' });

  it.each([
    [{ limit: '0' }, 'limit: must be a whole number from 1 to 1000'],
    [{ limit: '1001' }, 'limit: must be a whole number from 1 to 1000'],
    [{ limit: ['1', '2'] }, 'limit: must be a whole number from 1 to 1000'],
    [{ sort: 'colour' }, 'sort: must be one of name, at, open; with a - before it, the highest comes first'],
    [{ status: 'ajar' }, 'status: must be one of open, closed'],
    [{ search: ['a'] }, 'search: must be text of at most 200 characters without control characters'],
    [{ cursor: 'x' }, 'cursor: is not a cursor of this list'],
    [{ cursor: Buffer.from('[1]').toString('base64url') }, 'cursor: is not a cursor of this list'],
    [{ cursor: cursor('name', ['things', 'p2']) }, 'cursor: is not a cursor of this list'],
    [{ cursor: cursor('name', ['others', 'p1']) }, 'cursor: is not a cursor of this list'],
    [{ cursor: cursor('at') }, 'cursor: belongs to pages sorted by "at"; repeat that sort, or begin without a cursor'],
    [{ fields: 'id,nmae' }, 'fields: "nmae" is not a field of this list; did you mean "name"?'],
    [{ fields: 'owner.nam' }, 'fields: "owner.nam" is not a field of this list; did you mean "owner.name"?'],
    [{ fields: 'id.x' }, 'fields: "id.x" is not a field of this list; it has no fields'],
    [{ fields: '' }, 'fields: "" is not a field of this list; known fields are id, name, at, open, owner, parts'],
    [
      { limit: '0', status: 'ajar', fields: 'id,nmae' },
      'limit: must be a whole number from 1 to 1000; status: must be one of open, closed; fields: "nmae" is not a field of this list; did you mean "name"?',
    ],
    [{ fields: { a: 'b' } }, 'fields: must be names, separated by commas'],
    [{ cursor: cursor('name'), limit: '5', sort: 'name', fields: 'id', search: 'a', status: 'open', other: '1' }, 'accepted'],
  ])('%j: %s', (query, expected) => {
    expect(refusal(query)).toBe(expected);
  });

  it('are the only ones that a strict list takes', () => {
    expect(refusal({ from: '2026', limit: '1' }, strict)).toBe('accepted');
    expect(refusal({ limt: '1' }, strict)).toBe('limt: is not a known parameter; did you mean "limit"?');
    expect(refusal({ page: '1', per: '2' }, strict)).toBe('page: is not a known parameter; per: is not a known parameter');
  });
});

describe('fields', () => {
  it.each([
    ['id', { id: 'a' }],
    ['id,owner.name', { id: 'a', owner: { name: 'Ada' } }],
    ['owner.name,owner', { owner: { name: 'Ada', age: '36' } }],
    ['owner,owner.name', { owner: { name: 'Ada', age: '36' } }],
    ['parts.kind', { parts: [{ kind: 'a' }] }],
  ])('%s', (names, expected) => {
    expect(pickFields(thing('a'), readWantedFields(names.split(','), item))).toEqual(expected);
  });

  it('of a missing object are missing', () => {
    expect(pickFields(thing('a', { owner: null }), readWantedFields(['owner.name'], item))).toEqual({ owner: null });
  });
});
