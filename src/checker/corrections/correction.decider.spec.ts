import { describe, expect, it } from '@jest/globals';
import { decide } from '../../../test/support/decide.ts';
import { correct, type Correction, corrections } from './correction.decider.ts';

const NOW = Date.parse('2026-03-20T00:00:00Z');
const wanted: Correction = {
  correctionId: 'c1',
  checkId: 'check',
  from: '2026-03-09T00:00:00.000Z',
  to: '2026-03-16T00:00:00.000Z',
  reason: 'The rule looked for the old title',
  rules: [{ type: 'title', op: 'sub', val: 'Shop', origin: '', templateId: '', order: 0 }],
  runs: 10,
  judged: 9,
  changed: 3,
  verdicts: 'AAA=',
};
const corrected = (data: Correction) => ({ type: 'CheckCorrected', data }) as const;
const given = (...made: readonly Correction[]) => decide(corrections).given(...made.map(corrected));

describe('a correction', () => {
  it('is recorded with its findings', () => {
    given()
      .when((state) => correct(state, wanted, NOW))
      .then(corrected(wanted));
    const another = { ...wanted, correctionId: 'c2', reason: 'Another' };
    given(wanted)
      .when((state) => correct(state, another, NOW))
      .then(corrected(another));
  });

  it('is recorded again only if another one came in between', () => {
    given(wanted)
      .when((state) => correct(state, { ...wanted, correctionId: 'c2' }, NOW))
      .then();
    const third = { ...wanted, correctionId: 'c3' };
    given(wanted, { ...wanted, reason: 'Another' })
      .when((state) => correct(state, third, NOW))
      .then(corrected(third));
  });

  it.each<[Partial<Correction>, RegExp]>([
    [{ reason: ' \n' }, /^reason/],
    [{ reason: 'x'.repeat(1001) }, /^reason/],
    [{ to: wanted.from }, /^to: must be later than from/],
    [{ to: '2026-03-20T00:00:00.001Z' }, /^to: must not be in the future/],
    [{ verdicts: 'x'.repeat(28 * 1024 + 1) }, /in parts/],
  ])('is refused with invalid fields: %j', (changes, message) => {
    expect(() => correct(corrections.initial, { ...wanted, ...changes }, NOW)).toThrow(message);
  });

  it('may end now, and a check has at most 200 of them', () => {
    expect(correct(corrections.initial, { ...wanted, to: '2026-03-20T00:00:00.000Z' }, NOW)).toHaveLength(1);
    const many = (count: number) => given(...Array.from({ length: count }, (_, nth) => ({ ...wanted, reason: String(nth) })));
    expect(correct(many(199).state, wanted, NOW)).toHaveLength(1);
    expect(() => correct(many(200).state, wanted, NOW)).toThrow('at most 200');
  });
});
