import { expect, it } from '@jest/globals';
import { keptPagesDiagnosis } from './kept-pages.ts';

const MB = 2 ** 20;

it('says for how long a page is kept at the present rate', () => {
  expect(keptPagesDiagnosis({ budgetBytes: 768 * MB, bytesLastHour: 4 * MB })).toMatchObject({
    state: 'ok',
    found: 'a page is kept for about 8 days at the rate of the last hour (4 MiB, of a budget of 768 MiB)',
  });
  expect(keptPagesDiagnosis({ budgetBytes: 768 * MB, bytesLastHour: MB / 1_024 })).toMatchObject({
    found: expect.stringContaining('is kept for more than a year at'),
  });
  expect(keptPagesDiagnosis({ budgetBytes: 768 * MB, bytesLastHour: 0 })).toMatchObject({ state: 'ok' });
});

it('advises a budget where the evidence of a failure is lost within a day', () => {
  expect(keptPagesDiagnosis({ budgetBytes: 768 * MB, bytesLastHour: 5_120 * MB })).toMatchObject({
    state: 'warn',
    found: expect.stringContaining('for about 0 h'),
    advice: 'KEPT_PAGES_MB=1146880 keeps it for a week',
  });
});
