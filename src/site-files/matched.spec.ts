import { describe, expect, it } from '@jest/globals';
import { type Identified, matched } from './matched.ts';

const object = (name: string, key: string | null = null): Identified => ({ name, key });
const of = (objects: Readonly<Record<string, Identified>>): ReadonlyMap<string, Identified> => new Map(Object.entries(objects));

describe('an existing object', () => {
  it('is found by its key, whatever its name', () => {
    expect(matched([object('Start', 'home')], of({ one: object('Home', 'home'), two: object('Start', 'other') }))).toEqual(['one']);
  });

  it('without a key is adopted by its name, and by its id', () => {
    expect(matched([object('Home', 'home')], of({ one: object('Home') }))).toEqual(['one']);
    expect(matched([object('Start', 'one')], of({ one: object('Home'), two: object('Start') }))).toEqual(['one']);
  });

  it('that has a name in common with another is adopted by none', () => {
    expect(matched([object('Home')], of({ one: object('Home'), two: object('Home') }))).toEqual([null]);
    expect(matched([object('Home', 'a'), object('Home', 'b')], of({ one: object('Home') }))).toEqual([null, null]);
  });

  it('is adopted by its name alone once its namesakes were found by their keys', () => {
    expect(matched([object('Home'), object('Home', 'b')], of({ one: object('Home'), two: object('Home', 'b') }))).toEqual(['one', 'two']);
  });

  it('is given to one object', () => {
    expect(matched([object('A', 'x'), object('One', 'one')], of({ one: object('One', 'x') }))).toEqual(['one', null]);
  });
});
