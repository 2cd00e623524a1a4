import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { measureJson } from './json-size.ts';

const sizeOf = (text: string) => measureJson(Buffer.from(text));

/** By walking the value; an empty list or object counts as one value more. */
function walked(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const members = Object.values(value).map(walked);
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    values: Math.max(1, members.length) + members.reduce((sum, { values }) => sum + values, 0),
  };
}

describe('the size of a JSON text', () => {
  it('is the number of values at any level, and the depth', () => {
    expect(sizeOf('{"a":1,"b":[1,2,{"c":null}]}')).toEqual({ depth: 3, values: 6 });
    expect(sizeOf('7')).toEqual({ depth: 0, values: 0 });
  });

  it('does not count signs inside of text', () => {
    expect(sizeOf(String.raw`{"a,[{\"":"]},\\","b":"\\\",["}`)).toEqual({ depth: 1, values: 2 });
  });

  it('equals the size of the parsed value, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(sizeOf(JSON.stringify(value))).toEqual(walked(value));
      }),
    );
  });

  it.each(['"', '"\\', '[[[', ']]', '{"a', ',,,'])('has an end for text that is not JSON: %s', (text) => {
    expect(sizeOf(text).values).toBeLessThanOrEqual(3);
  });
});
