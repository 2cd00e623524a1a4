import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { sampleAt } from '../../../../test/support/observations/sample.ts';
import { ADVISORY_LOCKS } from '../../postgres/advisory-locks.ts';
import type { Sample } from '../samples/sample.ts';
import { sampleKind } from '../samples/postgres-samples.ts';
import { shardNumberOf } from '../shards.ts';
import { DayPartitions } from './day-partitions.ts';
import { flushRows } from './flush.codec.ts';
import { formerSlotOf, slotOfShard } from './pack-kind.ts';
import { HOUR_MS } from '../../../kernel/time.ts';
import { PackReader } from './pack-reader.ts';
import { type AcceptanceWindow, PackWriter } from './pack-writer.ts';
import { PackCompactor } from './pack-compactor.ts';

const SITE = '0123456789abcdef01234567';
const OTHER = 'f123456789abcdef0123456f';
const START = Date.UTC(2026, 0, 31, 23, 58);
const always: AcceptanceWindow = { pastMs: 1e12, futureMs: 1e12 };

const sample = (seconds: number, changes: Partial<Sample> = {}): Sample => sampleAt(START + seconds * 1000, changes);

let database: TestDatabase;
let writer: PackWriter<Sample>;
let reader: PackReader<Sample>;
let repacking: PackCompactor<Sample>;
let partitions: DayPartitions;
beforeAll(async () => {
  database = await createObservationDatabase();
  writer = new PackWriter(database.pool, sampleKind, always);
  reader = new PackReader(database.pool, sampleKind);
  repacking = new PackCompactor(database.pool, sampleKind);
  partitions = new DayPartitions(database.pool, 'sample');
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('TRUNCATE sample_flush, sample_hour, closed_book, observation_fence');
  await database.pool.query(`INSERT INTO observation_fence (name, epoch) VALUES ('eu-1', 1), ('eu-2', 4)`);
});

/** Holds back transactions until it is opened. */
class GatedPool {
  readonly reached: Promise<void>;
  open: () => void = () => undefined;
  readonly pool: TestDatabase['pool'];

  constructor(pool: TestDatabase['pool']) {
    let onReached: () => void = () => undefined;
    this.reached = new Promise((resolve) => (onReached = resolve));
    const opened = new Promise<void>((resolve) => (this.open = resolve));
    const connect = async () => {
      onReached();
      await opened;
      return pool.connect();
    };
    const query = pool.query.bind(pool);
    this.pool = new Proxy(pool, {
      get: (target, name) => (name === 'connect' ? connect : name === 'query' ? query : (Reflect.get(target, name, target) as unknown)),
    });
  }
}

const fence = { name: 'eu-1', epoch: 1 };
const accept = (samples: readonly Sample[], projectId = SITE) =>
  writer.accept([{ fence, observed: samples.map((item) => ({ projectId, item })) }]);
const all = (projectId = SITE) => reader.between(projectId, START - HOUR_MS, START + 30 * 24 * HOUR_MS);

describe('reading the observations of a project', () => {
  it('fetches the rows that hold some of it, whatever other projects measured', async () => {
    // All in the shard of SITE.
    const others = Array.from({ length: 20 }, (_, index) => `01${index.toString(16).padStart(22, '0')}`);
    for (const projectId of others) await accept([sample(0)], projectId);
    await accept([sample(0)]);
    const fetched: number[] = [];
    const counting = {
      query: async (...given: Parameters<typeof database.pool.query>) => {
        const result = (await database.pool.query(...given)) as unknown as { rows: unknown[] };
        fetched.push(result.rows.length);
        return result;
      },
    };
    const counted = new PackReader(counting as unknown as typeof database.pool, sampleKind);
    expect(await counted.between(SITE, START - HOUR_MS, START + HOUR_MS)).toEqual([sample(0)]);
    for await (const items of counted.backwards(SITE, START + HOUR_MS)) expect(items).toEqual([sample(0)]);
    expect(fetched).toEqual([1, 1]);
  });

  it('fetches several projects of a tick in one statement, each with its own', async () => {
    await accept([sample(0)]);
    await repacking.write(SITE, [sample(0)]);
    await accept([sample(15)]);
    await accept([sample(30)], OTHER);
    const queries: unknown[] = [];
    const counting = { query: (...given: Parameters<typeof database.pool.query>) => (queries.push(given), database.pool.query(...given)) };
    const counted = new PackReader(counting as unknown as typeof database.pool, sampleKind);
    const asked = [SITE, OTHER, 'eeeeeeeeeeeeeeeeeeeeeeee', SITE].map((id) => counted.between(id, START - HOUR_MS, START + HOUR_MS));
    const ofSite = await all();
    expect(await Promise.all(asked)).toEqual([ofSite, [sample(30)], [], ofSite]);
    expect(ofSite.map(({ at }) => at)).toContain(sample(15).at);
    expect(queries).toHaveLength(1);
  });

  it('is not misled by an id that lies across two others', async () => {
    const across = '01234567896702ef01234567';
    const [one, other] = [`00aaaaaaaaaa${across.slice(0, 12)}`, `${across.slice(12)}bbbbbbbbbbbb`];
    const observed = [one, other].map((projectId) => ({ projectId, item: sample(0) }));
    await writer.accept([{ fence, observed }]);
    expect(await all(one)).toEqual([sample(0)]);
    expect(await all(other)).toEqual([sample(0)]);
    expect(await all(across)).toEqual([]);
  });
});

describe('a flush', () => {
  it('is a row for each shard, of so many projects that reading one inflates little', () => {
    const ids = Array.from(
      { length: 400 },
      (_, index) => `${(index % 2 === 0 ? 0 : 255).toString(16).padStart(2, '0')}${index.toString(16).padStart(22, '0')}`,
    );
    const rows = flushRows(
      sampleKind,
      ids.map((projectId) => ({ projectId, item: sample(0) })),
    );
    expect(rows.map(({ slot, ids: held }) => [slot, held.length / 12])).toEqual([
      ...[64, 64, 64, 8].map((count) => [slotOfShard(0), count]),
      ...[64, 64, 64, 8].map((count) => [slotOfShard(63), count]),
    ]);
  });

  it('of a checker of the former version is read, and compacted', async () => {
    await accept([sample(0)]);
    await accept([sample(15)]);
    await database.pool.query('UPDATE sample_flush SET slot = $1 WHERE first_at = $2', [formerSlotOf(SITE), sample(0).at]);
    expect(await all()).toEqual([sample(0), sample(15)]);
    for await (const items of reader.backwards(SITE, START + HOUR_MS)) expect(items).toEqual([sample(15), sample(0)]);
    expect(await repacking.compactFormer(0)).toBe(1);
    expect(await repacking.compact(0)).toBe(1);
    expect(await all()).toEqual([sample(0), sample(15)]);
  });
});

describe('accepting observations', () => {
  it('accepts them under a held lease', async () => {
    expect(await accept([sample(0), sample(15)])).toEqual(new Set(['eu-1']));
    expect(await all()).toEqual([sample(0), sample(15)]);
    expect(await all(OTHER)).toEqual([]);
  });

  it('refuses those of a lost lease and accepts the others of the same flush', async () => {
    const batches = [
      { fence: { name: 'eu-1', epoch: 0 }, observed: [{ projectId: SITE, item: sample(0) }] },
      { fence: { name: 'eu-2', epoch: 4 }, observed: [{ projectId: OTHER, item: sample(0) }] },
      { fence: { name: 'eu-9', epoch: 1 }, observed: [{ projectId: SITE, item: sample(1) }] },
    ];
    expect(await writer.accept(batches)).toEqual(new Set(['eu-2']));
    expect(await all()).toEqual([]);
    expect(await all(OTHER)).toEqual([sample(0)]);
  });

  it('blocks a takeover until the write in progress has ended, and writes nothing after it', async () => {
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await new PackWriter(client, sampleKind, always).accept([{ fence, observed: [{ projectId: SITE, item: sample(0) }] }]);
    let taken = false;
    const takeover = database.pool.query(`UPDATE observation_fence SET epoch = 2 WHERE name = 'eu-1'`).then(() => (taken = true));
    const late = accept([sample(15)]);
    await late;
    expect(taken).toBe(false);
    await client.query('COMMIT');
    client.release();
    await takeover;
    expect(await accept([sample(30)])).toEqual(new Set());
    expect((await all()).map(({ at }) => at)).not.toContain(sample(30).at);
  });

  it('refuses observations of a wrong clock', async () => {
    const strict = new PackWriter(database.pool, sampleKind);
    const now = Date.now();
    const offered = [-600_000, -1000, 120_000].map((away) =>
      strict.accept([{ fence, observed: [{ projectId: SITE, item: { ...sample(0), at: now + away } }] }]),
    );
    expect((await Promise.all(offered)).map(({ size }) => size)).toEqual([0, 1, 0]);
  });
});

describe('compaction', () => {
  it('does not change what is read', async () => {
    await accept([sample(0), sample(15)]);
    await accept([sample(0), sample(60)], OTHER);
    expect(await repacking.compact(0)).toBeGreaterThan(0);
    await accept([sample(120), sample(135)]);
    expect(await all()).toEqual([sample(0), sample(15), sample(120), sample(135)]);
    await repacking.compact(0);
    expect(await all()).toEqual([sample(0), sample(15), sample(120), sample(135)]);
    expect(await all(OTHER)).toEqual([sample(0), sample(60)]);
    const { rows } = await database.pool.query(
      'SELECT (SELECT count(*)::int FROM sample_flush) AS flushes, (SELECT count(*)::int FROM sample_hour) AS hours',
    );
    expect(rows).toEqual([{ flushes: 0, hours: 3 }]);
    expect(await partitions.days()).toEqual(['2026-01-31', '2026-02-01']);
  });

  it('merges many flushes in batches, each once', async () => {
    const seconds = Array.from({ length: 7 }, (_, index) => index * 15);
    for (const second of seconds) await accept([sample(second)]);
    expect(await new PackCompactor(database.pool, sampleKind, 3).compact(0)).toBe(7);
    expect(await all()).toEqual(seconds.map((second) => sample(second)));
    expect(await repacking.compact(0)).toBe(0);
  });

  it('compacts the given shards only, and names those whose owner left flushes', async () => {
    await accept([sample(0)]);
    await accept([sample(0)], OTHER);
    const [shard, other] = [shardNumberOf(SITE), shardNumberOf(OTHER)];
    expect(await repacking.compact(0, [shard])).toBe(1);
    expect([await repacking.oldest(shard), await repacking.oldest(other)]).toEqual([null, sample(0).at]);
    expect([await repacking.lateShards(0), await repacking.lateShards(60_000)]).toEqual([[other], []]);
  });

  it('holds no connection while it packs, and writes nothing if another compaction was faster', async () => {
    await accept([sample(0)]);
    await repacking.compact(0);
    await accept([sample(15)]);
    const gate = new GatedPool(database.pool);
    const slow = new PackCompactor(gate.pool, sampleKind).compact(0);
    await gate.reached;
    expect(await repacking.compact(0)).toBe(1);
    await accept([sample(30)]);
    expect(await repacking.compact(0)).toBe(1);
    gate.open();
    expect(await slow).toBe(0);
    expect(await all()).toEqual([sample(0), sample(15), sample(30)]);
  });

  it('writes nothing over an hour that was imported while it packed', async () => {
    await accept([sample(0)]);
    await repacking.compact(0);
    await accept([sample(15)]);
    const gate = new GatedPool(database.pool);
    const slow = new PackCompactor(gate.pool, sampleKind).compact(0);
    await gate.reached;
    await repacking.write(SITE, [sample(30)]);
    gate.open();
    expect(await slow).toBe(0);
    expect(await all()).toEqual([sample(0), sample(15), sample(30)]);
    expect(await repacking.compact(0)).toBe(1);
    expect(await all()).toEqual([sample(0), sample(15), sample(30)]);
  });

  it('waits for a compaction of the former version, which does not compare', async () => {
    await accept([sample(0)]);
    await repacking.compact(0);
    await accept([sample(15)]);
    const former = await database.pool.connect();
    await former.query('BEGIN');
    await former.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.repackSamples * 16 + formerSlotOf(SITE)]);
    let isDone = false;
    const compacting = repacking.compact(0).then((merged) => {
      isDone = true;
      return merged;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await former.query('UPDATE sample_hour SET packed = packed');
    expect(isDone).toBe(false);
    await former.query('COMMIT');
    former.release();
    expect(await compacting).toBe(0);
    expect(await repacking.compact(0)).toBe(1);
    expect(await all()).toEqual([sample(0), sample(15)]);
  });

  it('keeps what was known at an instant', async () => {
    const now = Date.now();
    const made = [-9_000, -6_000, -1_000].map((away) => sampleAt(now + away));
    await accept(made);
    const flushed = await database.pool.query<{ at: number }>(
      'SELECT extract(epoch FROM flushed_at)::float8 * 1000 AS at FROM sample_flush',
    );
    const at = flushed.rows[0]?.at ?? NaN;
    const known = async (until: number) => (await reader.between(SITE, now - HOUR_MS, now + HOUR_MS, until)).map((one) => one.at - now);
    const answers = () => Promise.all([now - 10_000, now - 5_000, now - 900, at + 1].map(known));
    // Nine and six seconds old when they were recorded: until then nothing was known of them.
    const expected = [[], [], [-1_000], [-9_000, -6_000, -1_000]];
    expect(await answers()).toEqual(expected);
    await repacking.compact(0);
    expect(await answers()).toEqual(expected);
    await accept([sampleAt(now - 500)]);
    await repacking.compact(0);
    expect((await answers()).slice(0, 2)).toEqual(expected.slice(0, 2));
  });

  it('skips fresh flushes', async () => {
    await accept([sample(0)]);
    expect(await repacking.compact(60_000)).toBe(0);
  });

  it('keeps the sample accepted later of two at one instant', async () => {
    await accept([sample(0), sample(15)]);
    await repacking.compact(0);
    await accept([sample(0, { outcome: 'down', reason: 'refused' })]);
    await repacking.compact(0);
    expect(await all()).toEqual([sample(0, { outcome: 'down', reason: 'refused' }), sample(15)]);
  });

  it('neither loses nor duplicates a sample during concurrent compactions and writes', async () => {
    const instants = Array.from({ length: 60 }, (_, index) => index * 15);
    const writing = (async () => {
      for (const seconds of instants) await accept([sample(seconds)]);
    })();
    const stop = { yes: false };
    const turning = [0, 1].map(async () => {
      while (!stop.yes) await repacking.compact(0);
    });
    const seen: number[] = [];
    const reading = (async () => {
      while (!stop.yes) seen.push((await all()).length);
    })();
    await writing;
    stop.yes = true;
    await Promise.all([...turning, reading]);
    await repacking.compact(0);
    expect((await all()).map(({ at }) => at)).toEqual(instants.map((seconds) => sample(seconds).at));
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
  });
});

describe('reading', () => {
  it('backwards finds the last sample before an instant, in flushes and in hour rows', async () => {
    await repacking.write(
      SITE,
      Array.from({ length: 40 }, (_, index) => sample(index * 3600)),
    );
    await accept([sample(40 * 3600 + 15)]);
    const first = async (until: number): Promise<unknown> => {
      for await (const items of reader.backwards(SITE, until)) return items[0]?.at;
      return null;
    };
    expect(await first(START + 50 * HOUR_MS)).toBe(sample(40 * 3600 + 15).at);
    expect(await first(START + 40 * HOUR_MS)).toBe(sample(39 * 3600).at);
    expect(await first(START)).toBe(START);
    expect(await first(START - 1)).toBeNull();
    let count = 0;
    for await (const items of reader.backwards(SITE, START + 50 * HOUR_MS)) count += items.length;
    expect(count).toBe(41);
  });

  it('of ten thousand years returns every sample', async () => {
    await accept([sample(0)]);
    expect(await reader.between(SITE, -62_135_596_800_000, 253_402_300_799_000)).toEqual([sample(0)]);
    expect(await reader.between(SITE, 5, 5)).toEqual([]);
  });
});

describe('creating a day', () => {
  it('happens once, however many processes find that it is missing', async () => {
    for (let round = 0; round < 10; round++) {
      const hour = 600_000 + round * 24;
      await Promise.all(Array.from({ length: 8 }, () => partitions.ensure([hour])));
    }
    expect((await partitions.days()).filter((day) => day >= '2038-06-01')).toHaveLength(10);
    for (const day of await partitions.days()) if (day >= '2038-06-01') await partitions.drop(day);
  });
});

describe('dropping a day', () => {
  it('is refused while the day is not closed or not compacted', async () => {
    await repacking.write(SITE, [sample(0)]);
    await repacking.write(OTHER, [sample(0)]);
    expect(await partitions.drop('2026-01-31')).toBe('books open');
    await database.pool.query(`INSERT INTO closed_book SELECT DISTINCT project_id, '2026-01-31'::date, ''::bytea FROM sample_hour`);
    await accept([sample(1)]);
    expect(await partitions.drop('2026-01-31')).toBe('books open');
    await repacking.compact(0);
    expect(await partitions.drop('2026-01-31')).toBe('dropped');
    expect(await partitions.drop('2026-01-31')).toBe('absent');
    expect(await all()).toEqual([]);
    await repacking.write(SITE, [sample(0)]);
    expect(await all()).toEqual([sample(0)]);
  });
});
