import { describe, expect, it } from '@jest/globals';
import { leafOf, parseLeaf, type SealedEvent } from './leaf.ts';

const event: SealedEvent = {
  ...{ n: 7, id: 'e', stream: 'project-1', revision: 0, type: 'ProjectRenamed', version: 1, scope: 'project-1' },
  ...{ recordedAt: '2026-01-01T00:00:00.000000Z', data: { to: 'Shop' }, meta: { commandId: 'c' } },
};
const fields = Object.keys(event) as (keyof SealedEvent)[];
/** In canonical form, whatever its content. */
const written = (changes: object): string => leafOf({ ...event, ...changes });

describe('a leaf', () => {
  it('is the canonical form of the sealed fields only', () => {
    expect(parseLeaf(leafOf(event))).toEqual(event);
    expect(leafOf({ ...event, sourcePosition: '7' } as SealedEvent)).toBe(leafOf(event));
  });

  it.each(fields)('requires the field %s', (field) => {
    expect(parseLeaf(written({ [field]: undefined }))).toBeNull();
    expect(parseLeaf(written({ [field]: null }))).toBeNull();
    expect(parseLeaf(written({ [field]: typeof event[field] === 'string' ? 1 : 'x' }))).toBeNull();
  });

  it.each(['n', 'revision', 'version'])('requires a whole number in %s', (field) => {
    for (const value of [-1, 0.5, 2 ** 53]) expect(parseLeaf(written({ [field]: value }))).toBeNull();
  });

  it('is parsed in canonical form only', () => {
    const text = leafOf(event);
    expect(parseLeaf(` ${text}`)).toBeNull();
    expect(parseLeaf(JSON.stringify(event))).toBeNull();
    expect(parseLeaf(text.replace('"n":7', '"more":1,"n":7'))).toBeNull();
    for (const other of ['', 'null', '[]', '7', '{']) expect(parseLeaf(other)).toBeNull();
  });
});
