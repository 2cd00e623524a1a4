import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { ORIGIN, sampleEvents, sealed, signer, verifierKey } from '../../../test/support/sealed-log.ts';
import { insertEvents, tableLog } from '../../../test/support/table-log.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { LedgerStore } from '../store/ledger-store.ts';
import { mendTiles } from './mend-tiles.ts';
import { SealerDisplaced, type SealingLease } from '../store/seal-writer.ts';
import { openCheckpoint } from '../verify/checkpoint.ts';
import { verifyConsistency } from '../verify/merkle-tree.ts';
import { TileTree } from '../verify/tile-tree.ts';
import { Sealer, type SealerOptions } from './sealer.ts';
import { measureTruncation } from './truncation.ts';
import { runWitness, type WitnessReply } from './witness.ts';

let database: TestDatabase;
let store: LedgerStore;
let failures: Error[];
let running: { readonly stop: AbortController; readonly ended: Promise<Error | null> }[];

beforeEach(async () => {
  database = await createTestDatabase();
  store = new LedgerStore(database.pool);
  await store.begin(ORIGIN);
  running = [];
  failures = [];
});
afterEach(async () => {
  for (const { stop, ended } of running) {
    stop.abort();
    await ended;
  }
  await database.drop();
});

function start(options: Partial<SealerOptions> = {}, holds: SealingLease['holds'] = () => Promise.resolve(true)): (typeof running)[number] {
  const stop = new AbortController();
  const sealer = new Sealer({
    pool: database.pool,
    store,
    log: { ...tableLog(database.pool), at: unused, locate: unused, follow: unused },
    origin: ORIGIN,
    signers: () => Promise.resolve([signer]),
    ...options,
  });
  const ended = sealer.run({ signal: stop.signal, holds }).then(
    () => null,
    (error: unknown) => {
      const failure = error instanceof Error ? error : new Error(String(error));
      failures.push(failure);
      return failure;
    },
  );
  running.push({ stop, ended });
  return { stop, ended };
}

const unused = (): never => {
  throw new Error('the sealer does not need this');
};

async function until<T>(what: () => Promise<T | null | undefined | false>, milliseconds = 90_000): Promise<T> {
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    const value = await what();
    if (value !== null && value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not within ${String(milliseconds)} ms: ${what.toString()}`, { cause: failures[0] });
}

const signedSize = (size: number) =>
  until(async () => {
    const latest = await store.latestCheckpoint();
    return latest?.size === size && latest;
  });

const truncated = (n: number, from: number, to: number): LogEvent => {
  const [event] = sampleEvents(1);
  if (event === undefined) throw new Error('no sample');
  const data = { from, to, reason: 'restored from the backup of last night' };
  return {
    ...event,
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    n,
    stream: 'system',
    scope: 'system',
    type: 'LogTruncated',
    data,
  };
};

describe('the sealer', () => {
  it('seals what is there and what comes, and signs soon after the last event of a quiet log', async () => {
    const events = sampleEvents(5000);
    await insertEvents(database.pool, events.slice(0, 4700));
    start();
    await signedSize(4700);
    await insertEvents(database.pool, events.slice(4700));
    const latest = await signedSize(5000);
    const { root } = sealed(events).checkpoint;
    expect(openCheckpoint(latest.note, [verifierKey])).toMatchObject({ kind: 'open', checkpoint: { origin: ORIGIN, size: 5000, root } });
    const [first] = await store.checkpointsAfter(0, 1);
    const tree = new TileTree(store.readTiles);
    expect(first && verifyConsistency(first, latest, await tree.consistency(first.size, latest.size))).toBe(true);
  });

  it('goes on where it ended', async () => {
    const events = sampleEvents(3000);
    for (const count of [1, 255, 256, 257, 3000]) {
      await insertEvents(database.pool, events.slice((await tableLog(database.pool).head()) + 1, count));
      const { stop, ended } = start();
      const latest = await signedSize(count);
      stop.abort();
      expect(await ended).toBeNull();
      expect(latest.root).toEqual(sealed(events.slice(0, count)).checkpoint.root);
    }
  });

  it('signs nothing twice, and nothing for an empty log', async () => {
    start();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await store.latestCheckpoint()).toBeNull();
    await insertEvents(database.pool, sampleEvents(10));
    const { number } = await signedSize(10);
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect((await store.latestCheckpoint())?.number).toBe(number);
  });

  it('leaves one history when two of them believe that they hold the lease', async () => {
    const events = sampleEvents(20_000);
    await insertEvents(database.pool, events.slice(0, 6000));
    const both = [start(), start(), start()];
    await insertEvents(database.pool, events.slice(6000));
    const latest = await signedSize(20_000);
    expect(latest.root).toEqual(sealed(events).checkpoint.root);
    for (const { stop } of both) stop.abort();
    const errors = (await Promise.all(both.map(({ ended }) => ended))).filter((error) => error !== null);
    expect(errors.every((error) => error instanceof SealerDisplaced || 'code' in error)).toBe(true);
    const signed = await store.checkpointsAfter(0, 1000);
    expect(signed.map(({ number }) => number)).toEqual(signed.map((_, at) => at + 1));
  });

  it('writes nothing once its lease is gone', async () => {
    await insertEvents(database.pool, sampleEvents(100));
    expect(await start({}, () => Promise.resolve(false)).ended).toBeInstanceOf(SealerDisplaced);
    expect(await store.state()).toMatchObject({ size: 0 });
  });
});

describe('a log that is not what was sealed', () => {
  const events = sampleEvents(1000);

  it('stops the signing when it is shorter, and lets it go on when it is whole again', async () => {
    await insertEvents(database.pool, events);
    const reasons: (string | null)[] = [];
    start({ onStopped: (reason) => reasons.push(reason) });
    const { number } = await signedSize(1000);
    await database.pool.query('DELETE FROM log WHERE n >= 900');
    await until(async () => (await store.state())?.stopped);
    expect((await store.latestCheckpoint())?.number).toBe(number);
    await insertEvents(database.pool, sampleEvents(1010).slice(900));
    await signedSize(1010);
    expect(reasons).toEqual([expect.stringContaining('shorter'), null]);
    expect((await store.state())?.stopped).toBeNull();
  });

  it('stops the signing when it was restored and has grown past the seal since', async () => {
    await insertEvents(database.pool, events);
    const { stop, ended } = start();
    const { number } = await signedSize(1000);
    stop.abort();
    await ended;
    await database.pool.query(`UPDATE log SET data = '{"check":"another"}' WHERE n >= 900`);
    await insertEvents(database.pool, sampleEvents(1200).slice(1000));
    start();
    expect(await until(async () => (await store.state())?.stopped)).toContain('event 999');
    expect((await store.latestCheckpoint())?.number).toBe(number);
  });

  it('stops the signing when an event is missing in the middle', async () => {
    await insertEvents(
      database.pool,
      events.filter(({ n }) => n !== 500),
    );
    start();
    expect(await until(async () => (await store.state())?.stopped)).toContain('event 500');
    expect(await store.latestCheckpoint()).toBeNull();
  });

  it('goes on once an operator has declared the loss, and keeps every checkpoint', async () => {
    await insertEvents(database.pool, events);
    start();
    const before = await signedSize(1000);
    await database.pool.query('DELETE FROM log WHERE n >= 600');
    await until(async () => (await store.state())?.stopped);
    const loss = await measureTruncation(tableLog(database.pool), new TileTree(store.readTiles), 1000);
    expect(loss).toEqual({ from: 1000, to: 600 });
    const declared = [...events.slice(0, 600), truncated(600, 1000, 600)];
    await insertEvents(database.pool, declared.slice(600));
    const after = await signedSize(601);
    expect(after.root).toEqual(sealed(declared).checkpoint.root);
    expect(after.generation).toBe(1);
    expect((await store.checkpointsAfter(before.number - 1, 1))[0]).toEqual(before);
    const { rows } = await database.pool.query(
      'SELECT level, tile_index::int AS index, length(hashes) / 32 AS width FROM ledger_tile ORDER BY 1, 2',
    );
    expect(rows).toEqual([
      { level: 0, index: 0, width: 256 },
      { level: 0, index: 1, width: 256 },
      { level: 0, index: 2, width: 89 },
      { level: 1, index: 0, width: 2 },
    ]);
  });

  it('does not believe a declaration that keeps changed events', async () => {
    await insertEvents(database.pool, events);
    start();
    await signedSize(1000);
    await database.pool.query(`DELETE FROM log WHERE n >= 600`);
    await database.pool.query(`UPDATE log SET data = '{}' WHERE n = 599`);
    await insertEvents(database.pool, [truncated(600, 1000, 600)]);
    await until(async () => (await store.state())?.stopped);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await store.latestCheckpoint()).toMatchObject({ size: 1000, generation: 0 });
  });

  it('never signs over tiles that were changed, and goes on when they were made again', async () => {
    await insertEvents(database.pool, events);
    const { stop, ended } = start();
    await signedSize(1000);
    stop.abort();
    await ended;
    await database.pool.query(
      `UPDATE ledger_tile SET hashes = set_byte(hashes, 5, get_byte(hashes, 5) # 1) WHERE level = 0 AND tile_index = 3`,
    );
    start();
    expect(await until(async () => (await store.state())?.stopped)).toContain('seal mend');
    await insertEvents(database.pool, sampleEvents(1010).slice(1000));
    expect(await mendTiles({ pool: database.pool, store, log: tableLog(database.pool) })).toEqual({ kind: 'mended', tiles: 1 });
    expect((await signedSize(1010)).root).toEqual(sealed(sampleEvents(1010)).checkpoint.root);
  });

  it('makes tiles again that were lost, but not from a log that was changed', async () => {
    await insertEvents(database.pool, events);
    start();
    await signedSize(1000);
    const log = tableLog(database.pool);
    await database.pool.query('DELETE FROM ledger_tile WHERE tile_index = 1');
    await database.pool.query(`UPDATE log SET data = '{}' WHERE n = 10`);
    expect(await mendTiles({ pool: database.pool, store, log })).toMatchObject({ kind: 'refused' });
    await database.pool.query('DELETE FROM log WHERE n = 10');
    expect(await mendTiles({ pool: database.pool, store, log })).toMatchObject({ kind: 'refused', reason: expect.stringContaining('10') });
    await insertEvents(database.pool, events.slice(10, 11));
    expect(await mendTiles({ pool: database.pool, store, log })).toEqual({ kind: 'mended', tiles: 1 });
    expect(await mendTiles({ pool: database.pool, store, log })).toEqual({ kind: 'mended', tiles: 0 });
  });
});

describe('the witness', () => {
  it('gets each newest checkpoint once, and again after it was away', async () => {
    const heard: string[] = [];
    const away: WitnessReply = { kind: 'failed', reason: 'no connection' };
    const answers: readonly WitnessReply[] = [away, { kind: 'answered', status: 503 }];
    const stop = new AbortController();
    const post = (_: string, text: string): Promise<WitnessReply> => {
      heard.push(text);
      return Promise.resolve(answers[heard.length - 1] ?? { kind: 'answered', status: 200 });
    };
    const witness = runWitness({ store, url: 'http://witness.test/', post, lookMs: 50, firstRetryMs: 50 }, stop.signal);
    await insertEvents(database.pool, sampleEvents(10));
    start();
    const first = await signedSize(10);
    await until(() => Promise.resolve(heard.length === 3));
    await insertEvents(database.pool, sampleEvents(12).slice(10));
    const second = await signedSize(12);
    await until(() => Promise.resolve(heard.length === 4));
    await until(async () => (await store.unwitnessed()) === null);
    stop.abort();
    await witness;
    expect(heard).toEqual([first.note, first.note, first.note, second.note]);
  });

  it('gets what was signed while it was away in the order of signing, nothing left out, and more than once after a crash', async () => {
    start();
    const notes: string[] = [];
    for (let size = 1; size <= 4; size++) {
      await insertEvents(database.pool, sampleEvents(size).slice(size - 1));
      notes.push((await signedSize(size)).note);
    }
    await store.markWitnessed(1);
    const heard: string[] = [];
    const stop = new AbortController();
    let marks = 0;
    const forgetful = {
      unwitnessed: () => store.unwitnessed(),
      markWitnessed: (number: number) => (++marks === 1 ? Promise.reject(new Error('the database is away')) : store.markWitnessed(number)),
    };
    const post = (_: string, text: string): Promise<WitnessReply> => {
      heard.push(text);
      return Promise.resolve({ kind: 'answered', status: 200 });
    };
    const witness = runWitness({ store: forgetful, url: 'http://witness.test/', post, lookMs: 20, firstRetryMs: 20 }, stop.signal);
    await until(() => Promise.resolve(heard.length === 4));
    expect(await store.standing()).toMatchObject({ stopped: null, unsigned: 0, lagSeconds: 0 });
    await until(async () => (await store.standing()).unwitnessed === 0);
    stop.abort();
    await witness;
    expect(heard).toEqual([notes[1], ...notes.slice(1)]);
  });

  it('that never answers does not hold up the end', async () => {
    start();
    await insertEvents(database.pool, sampleEvents(1));
    await signedSize(1);
    const stop = new AbortController();
    let asked = 0;
    const post = (): Promise<WitnessReply> => {
      asked++;
      return new Promise(() => undefined);
    };
    const witness = runWitness({ store, url: 'http://witness.test/', post }, stop.signal);
    await until(() => Promise.resolve(asked === 1));
    stop.abort();
    await witness;
  });
});

describe('the standing of the seal', () => {
  it('says how far it is behind, and why it stopped', async () => {
    await insertEvents(database.pool, sampleEvents(3));
    const before = await store.standing();
    expect(before).toMatchObject({ stopped: null, unsigned: 3, unwitnessed: 0 });
    expect(before.lagSeconds).toBeGreaterThan(0);
    start();
    await signedSize(3);
    expect(await store.standing()).toEqual({ stopped: null, unsigned: 0, lagSeconds: 0, unwitnessed: 1 });
    await database.pool.query('DELETE FROM log WHERE n = 2');
    await until(async () => (await store.standing()).stopped !== null);
    expect((await store.standing()).stopped).toContain('shorter');
  });
});
