import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JsonSize, measureJson } from './request-bodies.ts';

const MOST_NAMES = 50;
const sizeOf = (text: string) => measureJson(Buffer.from(text), MOST_NAMES);

/** As they are written. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(namesIn)];
}

/** By walking the value; an empty list or object counts as one value more. */
function walked(value: unknown): Omit<JsonSize, 'names'> {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const members = Object.values(value).map(walked);
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    values: Math.max(1, members.length) + members.reduce((sum, { values }) => sum + values, 0),
  };
}

describe('the size of a JSON text', () => {
  it('is the number of values at any level, and the depth', () => {
    expect(sizeOf('{"a":1,"b":[1,2,{"c":null}]}')).toEqual({ depth: 3, values: 6, names: 3 });
    expect(sizeOf('7')).toEqual({ depth: 0, values: 0, names: 0 });
  });

  it('does not count signs inside of text', () => {
    expect(sizeOf(String.raw`{"a,[{\"":"]},\\","b":"\\\",["}`)).toEqual({ depth: 1, values: 2, names: 2 });
  });

  it('counts a name once, and no more names than are allowed', () => {
    expect(sizeOf('[{"a":1},{"b" :1,"a": 1}]').names).toBe(2);
    expect(sizeOf(`{${Array.from({ length: 60 }, (_, n) => `"n${String(n)}":1`).join()}}`).names).toBe(MOST_NAMES + 1);
  });

  it('equals the size of the parsed value, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const names = new Set(namesIn(value));
        expect(sizeOf(JSON.stringify(value))).toEqual({ ...walked(value), names: Math.min(names.size, MOST_NAMES + 1) });
      }),
    );
  });

  it.each(['"', '"\\', '[[[', ']]', '{"a', ',,,'])('has an end for text that is not JSON: %s', (text) => {
    expect(sizeOf(text).values).toBeLessThanOrEqual(3);
  });
});
