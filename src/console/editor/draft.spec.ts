import { expect, it } from '@jest/globals';
import { changesSentence, draftOf, emptyDraft, rulesOf } from './draft.ts';

const saved = { name: 'Cart', url: '/cart', enabled: true, rules: [{ type: 'status', op: 'eq', val: '200' }] } as const;
const draft = draftOf(saved);

it('says nothing where nothing would change', () => {
  expect(changesSentence(draft, draftOf(saved))).toBe('');
});

it('says what saving changes', () => {
  expect(changesSentence(draft, { ...draft, name: 'Basket', enabled: false })).toBe('Saving renames it to “Basket”, switches it off.');
  const edited = { ...draft, rules: [{ key: 1, type: 'text', op: 'sub', val: 'Shoes' } as const] };
  expect(changesSentence(draft, edited)).toBe('Saving adds 1 rule, removes 1 rule.');
});

it('leaves out rules that say nothing yet', () => {
  expect(rulesOf({ ...emptyDraft, rules: [...emptyDraft.rules, { key: 1, type: 'text', op: 'sub', val: '' }] })).toEqual([
    { type: 'status', op: 'eq', val: '200' },
  ]);
});
