import { expect, it } from '@jest/globals';
import { LifeSigns } from './life-signs.ts';

it('tells for how long a sign has stayed the same, since it was first looked at', () => {
  let now = 1_000;
  const signs = new LifeSigns(() => now);
  expect(signs.saw('other', 'one')).toBe(0);
  now += 6;
  expect(signs.saw('other', 'one')).toBe(6);
  expect(signs.staleAfter('other', 7)).toBeNull();
  now += 1;
  expect(signs.staleAfter('other', 7)).toBe('one');
  expect(signs.saw('other', 'two')).toBe(0);
  expect(signs.staleAfter('other', 7)).toBeNull();
  now += 7;
  signs.forget('other');
  expect(signs.staleAfter('other', 7)).toBeNull();
});
