import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatInstant, isoMicroseconds, justBefore, readInstant } from './instants.ts';

const at = (text: string): unknown => {
  const read = readInstant(text);
  return read.kind === 'instant' ? [new Date(read.at).toISOString(), read.offsetMinutes] : read.kind;
};

describe('reading an instant', () => {
  it.each([
    ['2023-03-23T12:53:20+00:00', '2023-03-23T12:53:20.000Z', 0],
    ['2023-03-23T12:53:20Z', '2023-03-23T12:53:20.000Z', 0],
    ['2023-03-23T12:53:20', '2023-03-23T12:53:20.000Z', 0],
    ['2023-03-23T12:53:20.5+02:00', '2023-03-23T10:53:20.500Z', 120],
    ['2023-03-23T12:53:20 02:00', '2023-03-23T10:53:20.000Z', 120],
    ['2023-03-23T12:53:20 0200', '2023-03-23T10:53:20.000Z', 120],
    ['2023-03-23T12:53:20+0000', '2023-03-23T12:53:20.000Z', 0],
    ['2023-03-23T12:53+05:30', '2023-03-23T07:23:00.000Z', 330],
    ['2023-03-23T12:53:20+14:00', '2023-03-22T22:53:20.000Z', 840],
    ['2023-03-23T12:53:20-00:30', '2023-03-23T13:23:20.000Z', -30],
    ['20230323T125320Z', '2023-03-23T12:53:20.000Z', 0],
    ['2024-02-29T24:00:00Z', '2024-03-01T00:00:00.000Z', 0],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', 0],
  ])('reads %s', (text, instant, offset) => {
    expect(at(text)).toEqual([instant, offset]);
  });

  it.each([
    '',
    ' ',
    '2023-03-23',
    '2023-03-23 12:53:20',
    'yesterday',
    '1679575999',
    '2023-02-29T00:00:00Z',
    '2023-13-01T00:00:00Z',
    '2023-03-23T25:00:00Z',
    '2023-03-23T12:61:00Z',
    '2023-03-23T12:00:00+24:00',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T24:00:00+14:00',
    '2023-03-23T12:00:00+02:00x',
    '+010000-01-01T00:00:00Z',
    '2023-03-23T12Z',
  ])('refuses %p', (text) => {
    expect(at(text)).toBe('invalid');
  });

  it.each([
    ['2026-11-21T17:32:16.370109Z', '2026-11-21T17:32:16.370109Z'],
    ['2026-11-21T17:32:16.370109999+02:00', '2026-11-21T15:32:16.370109Z'],
    ['2026-11-21T17:32:16.37Z', '2026-11-21T17:32:16.370000Z'],
    ['2026-11-21T17:32:16Z', '2026-11-21T17:32:16.000000Z'],
  ])('formats %s like the log', (text, utc) => {
    expect(readInstant(text)).toMatchObject({ utc });
  });

  it('finds the last instant of the log before another', () => {
    const before = ['2026-11-21T17:32:16.370109Z', '2026-11-21T17:32:16Z', '1969-12-31T00:00:00Z'].map(justBefore);
    expect(before).toEqual(['2026-11-21T17:32:16.370108Z', '2026-11-21T17:32:15.999999Z', '1970-01-01T00:00:00.000000Z']);
  });

  it('refuses values that are not text', () => {
    expect([undefined, null, 5, ['2023-03-23T12:53:20Z']].map((value) => readInstant(value).kind)).toEqual([
      'invalid',
      'invalid',
      'invalid',
      'invalid',
    ]);
  });

  it('round-trips in every offset', () => {
    const instants = fc.integer({ min: -62_000_000_000_000, max: 253_000_000_000_000 });
    fc.assert(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (instant, offset) => {
        expect(readInstant(formatInstant(instant, offset))).toMatchObject({ kind: 'instant', at: instant, offsetMinutes: offset });
      }),
    );
  });

  it('formats times as docs/spec/interface.md requires', () => {
    expect(formatInstant(Date.UTC(2023, 2, 23, 12, 53, 20))).toBe('2023-03-23T12:53:20+00:00');
    expect(formatInstant(Date.UTC(2023, 2, 23, 12, 53, 20, 50), -30)).toBe('2023-03-23T12:23:20.050-00:30');
  });
});

it('formats microseconds', () => {
  expect(isoMicroseconds(1_700_000_000_123_045)).toBe('2023-11-14T22:13:20.123045Z');
  expect(isoMicroseconds(1_700_000_000_999_999)).toBe('2023-11-14T22:13:20.999999Z');
});
