import { describe, expect, it } from '@jest/globals';
import { InvalidInput } from '../../kernel/errors.ts';
import { readStatementFormat, readStatementQuery } from './statement-query.ts';

const NOW = Date.parse('2026-10-31T10:30:00Z');
const month = '2026-10';

describe('what a statement is asked for', () => {
  it.each([
    ['month: must be a calendar month such as 2026-10, or from and to must be given', [{}, { from: '2026-10-01T00:00:00Z' }]],
    [
      'month: must be a calendar month such as 2026-10',
      ['2026-13', '2026-00', '2026-1', '1969-12', '2026-10-01', '20266-10', '２０２６-10', '', ['2026-09', '2026-10'], null].map(
        (given) => ({ month: given }),
      ),
    ],
    ['month: must not be in the future', [{ month: '2026-12' }, { month: '9999-12' }]],
    [
      'month: cannot be combined with from and to',
      [
        { month, from: '2026-10-01T00:00:00Z' },
        { month, to: '2026-10-01T00:00:00Z' },
      ],
    ],
    ['from: must not be in the future', [{ from: '2026-10-31T10:30:01Z', to: '2026-11-02T00:00:00Z' }]],
    ['from: must not be before 1970', [{ from: '1969-12-31T00:00:00Z', to: '1970-01-02T00:00:00Z' }]],
    ['to: must be later than from', [{ from: '2026-10-01T00:00:00Z', to: '2026-10-01T00:00:00Z' }]],
    ['to: a statement covers at most 366 days', [{ from: '2025-01-01T00:00:00Z', to: '2026-01-02T00:00:00.001Z' }]],
    [
      'offset: must be an existing UTC offset such as +01:00, from -12:00 to +14:00 in quarters of an hour',
      ['+14:15', '-12:15', '+01:07', '+1:00', '0100', 'Europe/Berlin', '', '+00:60', ['+01:00', '+02:00'], null].map((offset) => ({
        month,
        offset,
      })),
    ],
    [
      'method: must be the name of a method, or several separated by commas',
      ['', 'ours,', 'Ours!', '../x', [{}], null].map((method) => ({ month, method })),
    ],
    [
      'method: names a method twice',
      [
        { month, method: 'ours,ours' },
        { month, method: ['ours', 'ours'] },
      ],
    ],
    ['methods stand side by side', [{ month, method: Array.from({ length: 40 }, (_, at) => `m${String(at)}`) }]],
  ] as readonly (readonly [string, readonly Readonly<Record<string, unknown>>[]])[])('is refused with “%s”', (message, queries) => {
    for (const query of queries)
      expect(() => readStatementQuery(query, NOW)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
      );
  });

  it('may be a month that has begun where it begins first, and an offset whose plus sign was not escaped', () => {
    expect(readStatementQuery({ month: '2026-11', offset: ' 14:00' }, NOW)).toEqual({
      asked: { month: '2026-11' },
      offsetMinutes: 840,
      methods: [],
    });
    for (const [offset, minutes] of [
      ['-12:00', -720],
      ['+05:45', 345],
      ['+00:00', 0],
      ['Z', 0],
    ] as const)
      expect(readStatementQuery({ month, offset }, NOW).offsetMinutes).toBe(minutes);
  });

  it('names the formats that exist', () => {
    expect(() => readStatementFormat({ format: 'pdf' })).toThrow(
      new InvalidInput('format: must be html or json', { allowed: ['html', 'json'] }),
    );
  });
});
