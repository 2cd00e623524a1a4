import { expect, it } from '@jest/globals';
import { switchesOf } from './roles.ts';

const held = (...given: Parameters<typeof switchesOf>): readonly string[] =>
  Object.entries(switchesOf(...given))
    .filter(([, has]) => has)
    .map(([name]) => name);

it('the Permissions object says what a member of each role may do, and who may leave', () => {
  const all = ['read', 'run', 'editTest', 'editTests', 'edit', 'manageUsers', 'apiKey'];
  expect(held('4', true)).toEqual(all);
  expect(held('4', false)).toEqual([...all, 'leave']);
  expect(held('5', false)).toEqual(['read', 'run', 'editTest', 'editTests', 'apiKey', 'leave']);
  expect(held('6', false)).toEqual(['read', 'leave']);
  expect(held(null, false)).toEqual(['read']);
});
