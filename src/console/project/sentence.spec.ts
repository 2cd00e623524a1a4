import { expect, it } from '@jest/globals';
import { checksSentence, projectSentence } from './sentence.ts';

const shop = { title: 'Checkout', status: 'ok', failed: 0, total: 5 };
const check = {
  ...({ kind: 'check', severity: 'failing', since: null, event: null } as const),
  ...{ sentence: 'the cart answers 500', test: { id: 'a', name: 'Cart' } },
};
const certificate = { ...check, kind: 'certificate', severity: 'warning', test: null, sentence: 'expires in 3 days' } as const;

it('says that all is well, or that nothing is known', () => {
  expect(projectSentence(shop, [], 'working')).toBe('Checkout is well.');
  expect(projectSentence({ ...shop, status: null }, [], 'unknown')).toBe('Nothing of Checkout has been checked yet.');
});

it('says of a site whose uptime is not measured no more than its checks do, and of one without checks what its uptime does', () => {
  for (const state of ['unknown', undefined] as const) {
    expect(projectSentence(shop, [], state)).toBe('By its last checks Checkout is well.');
    expect(projectSentence(shop, [certificate], state)).toBe('Checkout needs attention.');
  }
  expect(projectSentence({ ...shop, status: null, total: 0 }, [], 'working')).toBe('Checkout is well.');
});

it('says what fails before what will', () => {
  expect(projectSentence(shop, [certificate], 'warning')).toBe('Checkout works, and needs attention.');
  expect(projectSentence(shop, [certificate, check], 'failing')).toBe('Checkout is failing: Cart: the cart answers 500.');
  expect(projectSentence(shop, [{ ...check, sentence: 'x'.repeat(61) }], 'failing')).toBe('Checkout is failing: Cart.');
  expect(projectSentence(shop, [{ ...check, kind: 'uptime', test: null, sentence: 'no answer within 3 s' }], 'failing')).toBe(
    'Checkout is down: no answer within 3 s.',
  );
});

it('counts the checks', () => {
  expect(checksSentence(shop)).toBe('All 5 checks pass.');
  expect(checksSentence({ ...shop, failed: 1 })).toBe('1 of 5 checks fails.');
  expect(checksSentence({ ...shop, failed: 1, total: 1 })).toBe('Its check fails.');
  expect(checksSentence({ ...shop, total: 0 })).toBe('No check is enabled.');
  expect(checksSentence({ ...shop, status: null })).toBe('None of its 5 checks has run yet.');
  expect(checksSentence({ ...shop, status: null, total: 1 })).toBe('Its check has not run yet.');
});
