import { describe, expect, it } from '@jest/globals';
import { correct, type Correction, corrections } from './correction.ts';

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
const after = (...made: readonly Correction[]) =>
  made.reduce((state, data) => corrections.evolve(state, { type: 'CheckCorrected', data }), corrections.initial);

describe('a correction', () => {
  it('is recorded with what it found', () => {
    expect(correct(corrections.initial, wanted, NOW)).toEqual([{ type: 'CheckCorrected', data: wanted }]);
    expect(correct(after(wanted), { ...wanted, correctionId: 'c2', reason: 'Another' }, NOW)).toHaveLength(1);
  });

  it('that says again what was said last, is none; in between another one, it is', () => {
    expect(correct(after(wanted), { ...wanted, correctionId: 'c2' }, NOW)).toEqual([]);
    expect(correct(after(wanted, { ...wanted, reason: 'Another' }), { ...wanted, correctionId: 'c3' }, NOW)).toHaveLength(1);
  });

  it.each<[Partial<Correction>, RegExp]>([
    [{ reason: ' \n' }, /^reason/],
    [{ reason: 'x'.repeat(1001) }, /^reason/],
    [{ to: wanted.from }, /^to: must be later than from/],
    [{ to: '2026-03-20T00:00:00.001Z' }, /^to: must not be in the future/],
    [{ verdicts: 'x'.repeat(28 * 1024 + 1) }, /in parts/],
  ])('is refused: %j', (changes, message) => {
    expect(() => correct(corrections.initial, { ...wanted, ...changes }, NOW)).toThrow(message);
  });

  it('of a time that is just over is taken, and there are at most 200 of a check', () => {
    expect(correct(corrections.initial, { ...wanted, to: '2026-03-20T00:00:00.000Z' }, NOW)).toHaveLength(1);
    const many = (count: number) => after(...Array.from({ length: count }, (_, nth) => ({ ...wanted, reason: String(nth) })));
    expect(correct(many(199), wanted, NOW)).toHaveLength(1);
    expect(() => correct(many(200), wanted, NOW)).toThrow('at most 200');
  });
});
