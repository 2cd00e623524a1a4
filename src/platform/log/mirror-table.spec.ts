import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FollowedEvent } from '../event-store/event-store.ts';
import { EMPTY_TAIL, streamEntriesOf, tailAfter, toMirrorRows } from './mirror-table.ts';

const followed = (index: number, storedAtMs: number): FollowedEvent => ({
  id: `00000000-0000-5000-8000-${String(index).padStart(12, '0')}`,
  type: 'Noted',
  version: 1,
  scope: 'project-a',
  stream: 's-1',
  revision: index,
  data: { index },
  meta: {
    actor: { kind: 'cli', id: 'spec' },
    correlationId: 'c',
    causationId: null,
    commandId: 'k',
    occurredAt: '2026-01-01T00:00:00.000Z',
  },
  position: String(index).padStart(20, '0'),
  storedAt: new Date(storedAtMs).toISOString(),
});

const clocks = fc.array(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_020 }), {
  minLength: 1,
  maxLength: 60,
  size: 'max',
});

describe('mirror rows', () => {
  it('are numbered without gaps and strictly grow in time when the clock of the store steps back', () => {
    fc.assert(
      fc.property(clocks, (clock) => {
        const rows = toMirrorRows(
          EMPTY_TAIL,
          clock.map((at, index) => followed(index, at)),
        );
        expect(rows.map(({ n }) => n)).toEqual(clock.map((_, index) => index));
        for (const [index, row] of rows.entries()) expect(row.recordedAt).toBeGreaterThan(rows[index - 1]?.recordedAt ?? 0);
        expect(rows[0]?.recordedAt).toBe((clock[0] ?? 0) * 1000);
      }),
    );
  });

  it('do not depend on how the events are split into batches', () => {
    fc.assert(
      fc.property(clocks, fc.integer({ min: 1, max: 7 }), (clock, size) => {
        const events = clock.map((at, index) => followed(index, at));
        let tail = EMPTY_TAIL;
        const pieces = [];
        for (let start = 0; start < events.length; start += size) {
          const rows = toMirrorRows(tail, events.slice(start, start + size));
          pieces.push(...rows);
          tail = tailAfter(tail, rows);
        }
        expect(pieces).toEqual(toMirrorRows(EMPTY_TAIL, events));
      }),
    );
  });

  it('list the events whose predecessor must be in the table', () => {
    const places = [
      ['a', 0],
      ['b', 4],
      ['a', 1],
      ['b', 5],
      ['a', 3],
      ['c', 2],
    ] as const;
    const events = places.map(([stream, revision], index) => ({ ...followed(index, 0), stream, revision }));
    const entries = streamEntriesOf(toMirrorRows(EMPTY_TAIL, events)).map(({ stream, revision, after }) => [stream, revision, after]);
    expect(entries).toEqual([
      ['b', 4, null],
      ['a', 3, 1],
      ['c', 2, null],
    ]);
  });
});
