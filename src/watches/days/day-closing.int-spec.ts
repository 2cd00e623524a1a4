import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { sampleAt } from '../../../test/support/observations/sample.ts';
import { dayClosingAt as closing } from '../../../test/support/observations/day-closing.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import type { StreamEvent } from '../../kernel/event.ts';
import { ClosedBooks } from '../../platform/observations/closed-days/closed-books.ts';
import { unpackDay } from '../../platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { flushRows } from '../../platform/observations/packs/flush.codec.ts';
import { formerSlotOf } from '../../platform/observations/packs/pack-kind.ts';
import { PackCompactor } from '../../platform/observations/packs/pack-compactor.ts';
import { applyRetention } from '../../platform/observations/retention.ts';
import type { DayClosingTimes } from './day-closing.ts';
import { unpackBuckets } from '../../platform/observations/response-times/bucket.codec.ts';
import { sampleKind } from '../../platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../../platform/observations/samples/sample.ts';
import { shardNumberOf } from '../../platform/observations/shards.ts';

const SITE = '0123456789abcdef01234567';
const OTHER_SITE = 'f123456789abcdef01234568';
const NOON = Date.UTC(2026, 0, 1, 12);

/** A minute apart from noon on, over midnight, until the next morning. */
const night = Array.from({ length: 16 * 60 }, (_, minute) => sampleAt(NOON + minute * 60_000));

let database: TestDatabase;
let store: MemoryEventStore;
let repacking: PackCompactor<Sample>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  store = new MemoryEventStore();
  repacking = new PackCompactor(database.pool, sampleKind);
  await database.pool.query('TRUNCATE sample_flush, sample_hour, closed_book');
});

const dayClosingAt = (now: number, afterwards?: () => void, times?: DayClosingTimes) =>
  closing(database.pool, store, now, afterwards, times);

async function written(site = SITE): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of store.readStream(`days-${site}-2026`)) events.push(event);
  return events;
}
const EVENING = NOON + 2 * DAY_MS;

/** As it was accepted, before anybody repacked it. */
async function flushed(projectId: string, samples: readonly Sample[]): Promise<void> {
  for (const { slot, firstAt, lastAt, ids, packed } of flushRows(
    sampleKind,
    samples.map((item) => ({ projectId, item })),
  ))
    await database.pool.query('INSERT INTO sample_flush (slot, first_at, last_at, packed, ids) VALUES ($1, $2, $3, $4, $5)', [
      ...[slot, firstAt, lastAt, packed, ids],
    ]);
}

describe('closing a day', () => {
  it('waits until the day can no longer change and closes it once', async () => {
    await repacking.write(SITE, night);
    expect(await dayClosingAt(NOON + DAY_MS / 2 + 1_800_000).closeDue()).toBe(0);
    expect(await dayClosingAt(NOON + DAY_MS).closeDue()).toBe(1);
    expect(await dayClosingAt(NOON + DAY_MS).closeDue()).toBe(0);
    expect((await written()).map(({ type, data }) => [type, data])).toMatchObject([
      ['UptimeDayClosed', { day: '2026-01-01', samples: 720, upMs: DAY_MS / 2, downMs: 0, unknownMs: DAY_MS / 2 }],
      ['ResponseTimesDayClosed', { day: '2026-01-01', samples: 720 }],
    ]);
  });

  it('keeps exact intervals and the bucket that spans midnight', async () => {
    await repacking.write(SITE, night);
    await dayClosingAt(EVENING).closeDue();
    const [uptime, times, next, nextTimes] = (await written()).map(({ data }) => data as Record<string, string>);
    expect(unpackDay('2026-01-01', Buffer.from(uptime?.['intervals'] ?? '', 'base64'))).toEqual([
      { from: NOON, to: NOON + DAY_MS / 2, state: 'up' },
    ]);
    const last = NOON + 16 * 3_600_000 + 60_000;
    expect(unpackDay('2026-01-02', Buffer.from(next?.['intervals'] ?? '', 'base64'))).toEqual([
      { from: NOON + DAY_MS / 2, to: last, state: 'up' },
    ]);
    const buckets = [times, nextTimes].flatMap((data) => unpackBuckets(Buffer.from(data?.['buckets'] ?? '', 'base64')));
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(night.length);
    expect(new Set(buckets.map(({ start }) => start)).size).toBe(buckets.length);
  });

  it('closes the day into which the last sample extends', async () => {
    await repacking.write(SITE, [sampleAt(NOON + DAY_MS / 2 - 20_000)]);
    await dayClosingAt(EVENING).closeDue();
    const closed = (await written()).filter(({ type }) => type === 'UptimeDayClosed').map(({ data }) => data);
    expect(closed).toMatchObject([
      { day: '2026-01-01', upMs: 20_000 },
      { day: '2026-01-02', samples: 0, upMs: 100_000 },
    ]);
  });

  it('appends nothing twice after a crash between event and mark', async () => {
    await repacking.write(SITE, night.slice(0, 60));
    const dying = dayClosingAt(NOON + DAY_MS, () => {
      throw new Error('killed');
    });
    await expect(dying.closeDue()).rejects.toThrow('killed');
    expect(await dayClosingAt(NOON + DAY_MS).closeDue()).toBe(1);
    expect(await written()).toHaveLength(2);
  });

  it('does not close a day of a shard of which another process still holds observations', async () => {
    await repacking.write(SITE, night);
    await flushed(OTHER_SITE, night.slice(0, 60));
    const former = await database.pool.connect();
    try {
      await former.query('BEGIN');
      // A compaction of a former owner that is about to write.
      await former.query('SELECT FROM sample_flush FOR UPDATE');
      const closing = dayClosingAt(EVENING);
      const compacting = closing.closeDue([shardNumberOf(OTHER_SITE)]);
      expect(await closing.closeDue([shardNumberOf(SITE)])).toBe(2);
      await former.query('UPDATE sample_flush SET flushed_at = flushed_at');
      await former.query('COMMIT');
      await compacting;
      await closing.closeDue();
    } finally {
      former.release();
    }
    expect((await written(OTHER_SITE)).map(({ data }) => data)).toMatchObject([
      { day: '2026-01-01', samples: 60 },
      { day: '2026-01-01', samples: 60 },
    ]);
    expect((await written()).filter(({ type }) => type === 'UptimeDayClosed').map(({ data }) => data)).toMatchObject([
      { day: '2026-01-01' },
      { day: '2026-01-02' },
    ]);
  });

  it('waits for what a checker of the former version has flushed', async () => {
    await repacking.write(SITE, night);
    await flushed(OTHER_SITE, night.slice(0, 60));
    await database.pool.query('UPDATE sample_flush SET slot = $1', [formerSlotOf(OTHER_SITE)]);
    const closing = dayClosingAt(EVENING);
    expect(await closing.closeDue()).toBe(0);
    await repacking.compactFormer(0);
    expect(await closing.closeDue()).toBe(3);
  });

  it('leaves days to others that ended too long ago, or may still be closed by them', async () => {
    await repacking.write(SITE, night);
    expect(await dayClosingAt(EVENING + 10 * DAY_MS, undefined, { delayMs: 0, withinMs: 3 * DAY_MS }).closeDue()).toBe(0);
    const hours = 3_600_000;
    expect(await dayClosingAt(NOON + DAY_MS, undefined, { delayMs: 12 * hours, withinMs: Infinity }).closeDue()).toBe(0);
    expect(await dayClosingAt(NOON + DAY_MS, undefined, { delayMs: 11 * hours, withinMs: 3 * DAY_MS }).closeDue()).toBe(1);
  });

  it('allows samples to be deleted only afterwards', async () => {
    await repacking.write(SITE, night);
    const limits = { days: 90, keptBytes: 1e9 };
    expect(await applyRetention(database.pool, limits, NOON + 100 * DAY_MS)).toMatchObject({
      dropped: [],
      refused: ['2026-01-01', '2026-01-02'],
    });
    await dayClosingAt(EVENING + 100 * DAY_MS).closeDue();
    expect(await applyRetention(database.pool, limits, NOON + 100 * DAY_MS)).toMatchObject({
      dropped: ['sample 2026-01-01', 'sample 2026-01-02'],
      refused: [],
    });
    expect(await new ClosedBooks(database.pool).buckets(SITE, '2026-01-01', '2026-01-02')).toEqual(new Map());
  });
});
