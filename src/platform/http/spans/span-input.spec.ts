import { describe, expect, it } from '@jest/globals';
import { readSpan, readSwitch } from './span-input.ts';

const NOW = Date.UTC(2026, 5, 1);
const span = (query: Record<string, unknown>) => {
  const { start, end } = readSpan(query, NOW);
  return [new Date(start.at).toISOString(), new Date(end.at).toISOString(), end.offsetMinutes];
};

describe('a span', () => {
  it('ends now, in the offset of its start, unless the request has an end', () => {
    expect(span({ start: '2026-05-01T00:00:00+02:00' })).toEqual(['2026-04-30T22:00:00.000Z', '2026-06-01T00:00:00.000Z', 120]);
    expect(span({ start: '2026-05-01T00:00:00Z', end: '2026-05-02T00:00:00-00:30' })).toEqual([
      '2026-05-01T00:00:00.000Z',
      '2026-05-02T00:30:00.000Z',
      -30,
    ]);
  });

  it('is empty when its start is in the future', () => {
    expect(span({ start: '2030-01-01T00:00:00Z' })).toEqual(['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', 0]);
  });

  it.each([
    {},
    { start: '' },
    { start: '2026-05-01' },
    { start: ['2026-05-01T00:00:00Z', 'x'] },
    { start: '2026-05-02T00:00:00Z', end: '2026-05-01T00:00:00Z' },
  ])('is refused without a readable start before its end: %p', (query) => {
    expect(() => readSpan(query, NOW)).toThrow('Start time is empty or invalid');
  });

  it('is refused when its end cannot be read, by the name of the parameter', () => {
    expect(() => readSpan({ start: '2026-05-01T00:00:00Z', end: 'tomorrow' }, NOW)).toThrow('end: ');
  });

  it('has the default length when the request has no start', () => {
    expect(readSpan({}, NOW, { lengthMs: 1000 }).start.at).toBe(NOW - 1000);
  });
});

it('reads boolean parameters', () => {
  expect(['', 'true', '1', 'false', '0', undefined].map((value) => readSwitch({ a: value }, 'a'))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(() => readSwitch({ a: 'maybe' }, 'a')).toThrow('a: ');
});
