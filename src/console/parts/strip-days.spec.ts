import { expect, it } from '@jest/globals';
import { stripDays, stripWords } from './strip-days.ts';

const at = Date.parse('2026-11-23T12:00:00Z');
const of = (day: { readonly down?: number; readonly unknown?: number; readonly maintenance?: number }) =>
  stripDays({ from: '2026-11-20', down: [day.down ?? 0], unknown: [day.unknown ?? 0], maintenance: [day.maintenance ?? 0] }, at)[0];

it('shows a minute of an outage, and a whole day as a whole bar', () => {
  expect(of({ down: 60 })).toMatchObject({ kind: 'down', down: 0.18 });
  expect(of({ down: 86_400 })).toMatchObject({ kind: 'down', down: 1 });
});

it('hatches a day that was mostly not measured, and calls no such day up', () => {
  expect(of({ unknown: 50_000 })?.kind).toBe('unknown');
  expect(of({ unknown: 3_600 })?.kind).toBe('up');
  expect(of({ unknown: 50_000, down: 60 })?.kind).toBe('down');
});

it('draws as well no more of a day than was measured and well', () => {
  expect(of({ down: 17_280, unknown: 69_120 })).toMatchObject({ down: 0.2, unknown: 0.8 });
  expect(of({ down: 60, unknown: 86_340 })).toMatchObject({ kind: 'down', down: 0.18, unknown: 0.8200000000000001 });
  expect(of({ unknown: 86_400 })).toMatchObject({ down: 0, unknown: 1 });
  expect(of({ unknown: 43_200, maintenance: 43_200 })).toMatchObject({ unknown: 0.5 });
  expect(of({ unknown: 60 })).toMatchObject({ unknown: 0 });
});

it('shows planned work as such', () => {
  expect(of({ maintenance: 80_000 })?.kind).toBe('maintenance');
});

it('measures the last day by its length so far, and cuts to the days that there is room for', () => {
  const days = stripDays({ from: '2026-11-22', down: [0, 21_600], unknown: [0, 0], maintenance: [0, 0] }, at);
  expect(days[1]?.down).toBe(0.5);
  expect(stripDays({ from: '2026-11-22', down: [0, 1], unknown: [0, 0], maintenance: [0, 0] }, at, 1)).toHaveLength(1);
});

it('says what the days are together, and does not call a site well that was not measured', () => {
  const wordsOf = (down: readonly number[], unknown: readonly number[]): string =>
    stripWords(stripDays({ from: '2026-11-22', down, unknown, maintenance: [0, 0] }, at), at);
  expect(wordsOf([0, 0], [86_400, 43_190])).toBe('not measured');
  expect(wordsOf([0, 0], [0, 0])).toBe('never down');
  expect(wordsOf([0, 0], [86_400, 0])).toBe('never down, 24 h not measured');
  expect(wordsOf([600, 0], [0, 30])).toBe('10 min down');
});
