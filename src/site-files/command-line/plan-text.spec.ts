import { expect, it } from '@jest/globals';
import type { Schemas } from '../../client/types.ts';
import { changeLines } from './plan-text.ts';

type Field = Schemas['PlannedChange']['fields'][number];

const lines = (name: string, ...fields: readonly Omit<Field, 'changedBy'>[]): readonly string[] =>
  changeLines(
    { action: 'change', kind: 'check', id: null, name, fields: fields.map((field) => ({ ...field, changedBy: null })) },
    (_, text) => text,
  );

it('shows the change of a second rule, however long the first is', () => {
  const rule = (val: string) => ({ type: 'text', op: 'contains', val });
  const long = rule('x'.repeat(200));
  expect(lines('Home', { field: 'rules', from: [long, rule('a')], to: [long, rule('b'), rule('c')] })).toEqual([
    '    ~ check Home',
    '        rules.1.val: "a" → "b"',
    '        rules.2: nothing → {"type":"text","op":"contains","val":"c"}',
  ]);
});

it('shows long texts from shortly before their first difference on', () => {
  const [, line] = lines('Home', { field: 'url', from: `/${'x'.repeat(500)}a`, to: `/${'x'.repeat(500)}b` });
  expect(line).toBe(`        url: …${'x'.repeat(20)}a" → …${'x'.repeat(20)}b"`);
});

it('keeps a name of others in its line', () => {
  expect(lines('Home\n1 site: 0 to create\u001b[8m\u202e', { field: 'title', from: 'a', to: 'b\u2028c' })).toEqual([
    '    ~ check Home\\u000a1 site: 0 to create\\u001b[8m\\u202e',
    '        title: "a" → "b\\u2028c"',
  ]);
});
