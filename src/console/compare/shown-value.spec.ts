import { expect, it } from '@jest/globals';
import { fullOf, shortOf } from '../time/instants.ts';
import { shownValue } from './changed-things.ts';

const NOW = Date.parse('2026-11-26T19:00:00Z');
const shown = (value: unknown, path = 'project.title'): string => shownValue(value, path, NOW);

it('shows text as it is, what was not there as a dash, and an object line by line', () => {
  expect([shown('Shop'), shown(null), shown(undefined), shown(false)]).toEqual(['Shop', '–', '–', 'no']);
  expect(shown({ status: 'ok', lastRun: 0 }, 'tests/1.status')).toBe('status: ok\nlast run: never');
  expect(shown({ role: '6', isPayer: false }, 'users/2')).toBe('role: guest\nowner: no');
  expect(shown('5', 'users/2.role')).toBe('developer');
});

it('shows texts of a list line by line, and an empty list as none', () => {
  expect(shown(['expected "a", found "b"', 'no answer'])).toBe('expected "a", found "b"\nno answer');
  expect(shown([])).toBe('none');
});

it('shows instants in the zone of the reader, and rules as sentences', () => {
  expect(shown('2026-08-13T09:00:00+00:00')).toBe(shortOf(Date.parse('2026-08-13T09:00:00Z'), NOW));
  expect(shown(1_764_147_780, 'tests/1.status.lastChange')).toBe(fullOf(1_764_147_780_000));
  const rules = [
    { type: 'status', op: 'eq', val: '200' },
    { type: 'text', op: 'sub', val: 'Shoes' },
  ];
  expect(shown(rules)).toBe('status is 200\ntext contains Shoes');
});

it('cuts what is long', () => {
  expect(shown('x'.repeat(1_000))).toHaveLength(301);
});
