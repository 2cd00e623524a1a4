import type pg from 'pg';
import type { Events } from '../../src/events.ts';
import { daysStream, projectStream } from '../../src/kernel/stream-names.ts';
import { derivedId } from '../../src/kernel/ids.ts';
import { ClosedBooks } from '../../src/platform/observations/closed-days/closed-books.ts';
import { startOfDay, utcDay } from '../../src/platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../../src/kernel/time.ts';
import { type Books, booksOf, neededFor } from '../../src/watches/days/day-books.ts';
import type { FlatEvent } from '../flat/flat-events.ts';
import { flushAll, writeHours } from '../scale/synthetic-sites.ts';
import { siteSamples } from './site-samples.ts';

const PERIOD_S = 60;
const DAYS = 90;
/** Compaction turns flushes into hours as often. */
const UNCOMPACTED_MS = 600_000;
const AT = '2026-11-01T12:00:00.000Z';

/** The days before today. */
const pastDays = (now: number): readonly string[] => Array.from({ length: DAYS }, (_, nth) => utcDay(now - (DAYS - nth) * DAY_MS));

/** The closed days of these sites, the same of each. */
export function* closedDaysOf(ids: readonly string[], now: number): Generator<FlatEvent> {
  const books = pastDays(now).map((day) => [day, booksOfDay(day)] as const);
  for (const projectId of ids)
    for (const [, { uptime, responseTimes }] of books) {
      yield closed('UptimeDayClosed', { ...uptime, projectId });
      yield closed('ResponseTimesDayClosed', { ...responseTimes, projectId });
    }
}

/** What was measured of these sites since yesterday, and what all sites flushed that is not compacted yet. */
export async function measureSites(pool: pg.Pool, ids: readonly string[], all: readonly string[], now: number): Promise<void> {
  const [today, compacted] = [startOfDay(utcDay(now)), now - UNCOMPACTED_MS];
  await writeHours(pool, ids, today - DAY_MS, compacted, PERIOD_S);
  await flushAll(pool, all, compacted, now, PERIOD_S);
  const yesterday = utcDay(now - DAY_MS);
  const { uptime, sketched } = booksOfDay(yesterday);
  await new ClosedBooks(pool).mark(
    yesterday,
    ids.map((projectId) => ({ projectId, sha256: uptime.sha256, buckets: sketched })),
  );
  await pool.query('VACUUM ANALYZE');
}

function booksOfDay(day: string): Books {
  const { from, to } = neededFor(day);
  return booksOf('', day, siteSamples(from, to, PERIOD_S, startOfDay(day) / DAY_MS));
}

function closed<Type extends 'UptimeDayClosed' | 'ResponseTimesDayClosed'>(type: Type, data: Events[Type]): FlatEvent {
  const { projectId, day } = data;
  const id = derivedId('watched', type, projectId, day);
  const meta = { actor: { kind: 'scheduler' }, correlationId: id, causationId: null, commandId: id, occurredAt: AT };
  return { id, stream: daysStream(projectId, day), type, scope: projectStream(projectId), data, meta };
}
