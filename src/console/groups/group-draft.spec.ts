import { expect, it } from '@jest/globals';
import { emptyGroup, groupChanges, groupDraftOf, groupSentence } from './group-draft.ts';

const saved = groupDraftOf({ name: 'Shop', period: 'true', rules: [[{ type: 'status', op: 'eq', val: '200' }]] });

it('sends what differs alone, and says it', () => {
  expect(groupChanges(saved, saved)).toEqual({});
  expect(groupSentence(saved, saved)).toBe('');
  const edited = {
    ...saved,
    name: 'Checkout',
    blocks: [[...(saved.blocks[0] ?? []), { key: 1, type: 'text', op: 'sub' as const, val: 'Pay' }]],
  };
  expect(groupChanges(saved, edited)).toEqual({
    name: 'Checkout',
    rules: [
      [
        { type: 'status', op: 'eq', val: '200' },
        { type: 'text', op: 'sub', val: 'Pay' },
      ],
    ],
  });
  expect(groupSentence(saved, edited)).toBe('Saving renames it to “Checkout”, adds 1 rule.');
});

it('begins with a block for the first rule, which is not sent while it is empty', () => {
  expect(groupDraftOf({ name: '', period: 'true', rules: [] })).toEqual(emptyGroup);
  expect(groupChanges(emptyGroup, { ...emptyGroup, name: 'New' })).toEqual({ name: 'New' });
});
