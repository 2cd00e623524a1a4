import { expect, it } from '@jest/globals';
import {
  draftChanges,
  changesSentence,
  draftOf,
  emptyDraft,
  hasSecrets,
  keepDraft,
  keepDraftsOf,
  keptDraft,
  rulesOf,
  triedOptionsOf,
} from './draft.ts';

const saved = {
  ...{
    name: 'Cart',
    url: '/cart',
    enabled: true,
    areaId: '',
    notice: '',
    options: { 2: false, 6: false, g: false, l: false, w: 'Authorization: ********' },
  },
  rules: [{ type: 'status', op: 'eq', val: '200', origin: '', templateId: '', order: 0 }],
} as const;
const draft = draftOf({ ...saved, rules: [...saved.rules] });

it('keeps what was typed until the account signs out or another one signs in', () => {
  keepDraftsOf('1');
  keepDraft('p c', draft);
  keepDraftsOf('1');
  expect(keptDraft('p c')).toBe(draft);
  keepDraftsOf(null);
  keepDraftsOf('1');
  expect(keptDraft('p c')).toBeNull();
  keepDraft('p c', draft);
  keepDraftsOf('2');
  expect(keptDraft('p c')).toBeNull();
});

it('says nothing where nothing would change', () => {
  expect(changesSentence(draft, { ...draft })).toBe('');
  expect(draftChanges(draft, { ...draft })).toEqual({});
});

it('says what saving changes', () => {
  expect(changesSentence(draft, { ...draft, name: 'Basket', enabled: false })).toBe('Saving renames it to “Basket”, switches it off.');
  const edited = { ...draft, rules: [{ key: 1, type: 'text', op: 'sub', val: 'Shoes' } as const] };
  expect(changesSentence(draft, edited)).toBe('Saving changes 1 rule.');
  const [first] = edited.rules;
  expect(changesSentence(draft, { ...draft, rules: [...edited.rules, { ...first!, key: 2, val: 'Boots' }] })).toBe(
    'Saving changes 1 rule, adds 1 rule.',
  );
  expect(changesSentence(draft, { ...draft, rules: [] })).toBe('Saving removes 1 rule.');
});

it('sends what differs alone, so that no change by others and no masked value is written again', () => {
  const posted = { ...draft, request: { ...draft.request, method: 'POST' as const, body: '{"id":7}' } };
  expect(draftChanges(draft, posted)).toEqual({ options: { method: 'POST', body: '{"id":7}' } });
  expect(draftChanges(draft, { ...draft, notice: 'Ask Jan' })).toEqual({ notice: 'Ask Jan' });
});

it('leaves out rules and extractions that say nothing yet', () => {
  expect(rulesOf({ rules: [...emptyDraft.rules, { key: 1, type: 'text', op: 'sub', val: '' }] })).toEqual([
    { type: 'status', op: 'eq', val: '200' },
  ]);
  const half = { ...draft, request: { ...draft.request, extract: [{ name: 'token', from: '', secret: true }] } };
  expect(draftChanges(draft, half)).toEqual({});
});

it('tries the request without secrets that only the service knows', () => {
  expect(hasSecrets(draft)).toBe(true);
  const tried = triedOptionsOf({ request: { ...draft.request, headers: 'Accept: text/html\nAuthorization: ********', body: '********' } });
  expect(tried).toMatchObject({ w: 'Accept: text/html', body: '' });
});
