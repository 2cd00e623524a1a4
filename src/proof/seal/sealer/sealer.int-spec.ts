import { describe, expect, it } from '@jest/globals';
import { inFreshSeals, type SealWorld } from '../../../../test/support/seal-world.ts';
import { ORIGIN, sampleEvents, sealed, truncated, verifierKey } from '../../../../test/support/sealed-log.ts';
import { insertEvents, tableLog } from '../../../../test/support/log-table.ts';
import { thorough } from '../../../../test/support/thorough.ts';
import { LedgerStore } from '../store/ledger-store.ts';
import { SealerDisplaced } from '../store/seal-writer.ts';
import { openCheckpoint } from '../../../client/proofs/checkpoint.ts';
import { verifyConsistency } from '../../../client/proofs/merkle-tree.ts';
import { TileTree } from '../../../client/proofs/tile-tree.ts';
import { repairTiles } from './repair-tiles.ts';
import { measureTruncation } from './truncation.ts';

let world: SealWorld;
inFreshSeals((fresh) => {
  world = fresh;
});

describe('the sealer', () => {
  it('seals existing and new events and signs soon after the last event of a quiet log', async () => {
    const events = sampleEvents(5000);
    await insertEvents(world.pool, events.slice(0, 4700));
    world.start();
    await world.signedSize(4700);
    await insertEvents(world.pool, events.slice(4700));
    const latest = await world.signedSize(5000);
    const { root } = sealed(events).checkpoint;
    expect(openCheckpoint(latest.note, [verifierKey])).toMatchObject({ kind: 'open', checkpoint: { origin: ORIGIN, size: 5000, root } });
    const [first] = await world.store.checkpointsAfter(0, 1);
    const tree = new TileTree(world.store.readTiles);
    expect(first && verifyConsistency(first, latest, await tree.consistency(first.size, latest.size))).toBe(true);
  });

  it('resumes where it ended', async () => {
    const events = sampleEvents(3000);
    for (const count of [1, 255, 256, 257, 3000]) {
      await insertEvents(world.pool, events.slice((await tableLog(world.pool).head()) + 1, count));
      const { stop, ended } = world.start();
      const latest = await world.signedSize(count);
      stop.abort();
      expect(await ended).toBeNull();
      expect(latest.root).toEqual(sealed(events.slice(0, count)).checkpoint.root);
    }
  });

  it('signs no size twice and no empty log', async () => {
    world.start();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await world.store.latestCheckpoint()).toBeNull();
    await insertEvents(world.pool, sampleEvents(10));
    const { number } = await world.signedSize(10);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await world.store.latestCheckpoint())?.number).toBe(number);
  });

  it('leaves one history when two sealers believe they hold the lease', async () => {
    const count = thorough(20_000, 4_000);
    const events = sampleEvents(count);
    await insertEvents(world.pool, events.slice(0, count / 4));
    const both = [world.start(), world.start(), world.start()];
    await insertEvents(world.pool, events.slice(count / 4));
    const latest = await world.signedSize(count);
    expect(latest.root).toEqual(sealed(events).checkpoint.root);
    for (const { stop } of both) stop.abort();
    const errors = (await Promise.all(both.map(({ ended }) => ended))).filter((error) => error !== null);
    expect(errors.every((error) => error instanceof SealerDisplaced || 'code' in error)).toBe(true);
    const signed = await world.store.checkpointsAfter(0, 1000);
    expect(signed.map(({ number }) => number)).toEqual(signed.map((_, at) => at + 1));
  });

  it('seals events that follow each other closely by few transactions', async () => {
    let transactions = 0;
    const began = performance.now();
    world.start({ quietMs: 300 }, () => {
      transactions++;
      return Promise.resolve(true);
    });
    for (const event of sampleEvents(40)) {
      await insertEvents(world.pool, [event]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await world.signedSize(40);
    // In each fifth of a second the tree grows once and is signed once at most; the rest is the start.
    expect(transactions).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / 200) * 2 + 3);
  });

  it('writes nothing after it lost its lease', async () => {
    await insertEvents(world.pool, sampleEvents(100));
    expect(await world.start({}, () => Promise.resolve(false)).ended).toBeInstanceOf(SealerDisplaced);
    expect(await world.store.state()).toMatchObject({ size: 0 });
  });
});

describe('a log that contradicts the seal', () => {
  const events = sampleEvents(1000);

  it('stops sealing while it is shorter, and resumes once it is restored', async () => {
    await insertEvents(world.pool, events);
    const reasons: (string | null)[] = [];
    world.start({ onStopped: (reason) => reasons.push(reason) });
    const { number } = await world.signedSize(1000);
    await world.pool.query('DELETE FROM log WHERE n >= 900');
    await world.once(async () => (await world.store.state())?.stopped);
    expect((await world.store.latestCheckpoint())?.number).toBe(number);
    await insertEvents(world.pool, sampleEvents(1010).slice(900));
    await world.signedSize(1010);
    expect(reasons).toEqual([expect.stringContaining('shorter'), null]);
    expect((await world.store.state())?.stopped).toBeNull();
  });

  it('stops sealing when it was restored and has outgrown the seal', async () => {
    await insertEvents(world.pool, events);
    const { stop, ended } = world.start();
    const { number } = await world.signedSize(1000);
    stop.abort();
    await ended;
    await world.pool.query(`UPDATE log SET data = '{"check":"another"}' WHERE n >= 900`);
    await insertEvents(world.pool, sampleEvents(1200).slice(1000));
    world.start();
    expect(await world.once(async () => (await world.store.state())?.stopped)).toContain('event 999');
    expect((await world.store.latestCheckpoint())?.number).toBe(number);
  });

  it('stops sealing at a gap', async () => {
    await insertEvents(
      world.pool,
      events.filter(({ n }) => n !== 500),
    );
    world.start();
    expect(await world.once(async () => (await world.store.state())?.stopped)).toContain('event 500');
    expect(await world.store.latestCheckpoint()).toBeNull();
  });

  it('resumes after an operator declared the loss, and keeps every checkpoint', async () => {
    await insertEvents(world.pool, events);
    world.start();
    const before = await world.signedSize(1000);
    await world.pool.query('DELETE FROM log WHERE n >= 600');
    await world.once(async () => (await world.store.state())?.stopped);
    const loss = await measureTruncation(tableLog(world.pool), new TileTree(world.store.readTiles), 1000);
    expect(loss).toEqual({ from: 1000, to: 600 });
    const declared = [...events.slice(0, 600), truncated(600, 1000, 600)];
    await insertEvents(world.pool, declared.slice(600));
    const after = await world.signedSize(601);
    expect(after.root).toEqual(sealed(declared).checkpoint.root);
    expect(after.generation).toBe(1);
    expect((await world.store.checkpointsAfter(before.number - 1, 1))[0]).toEqual(before);
    const { rows } = await world.pool.query(
      'SELECT level, tile_index::int AS index, length(hashes) / 32 AS width FROM ledger_tile ORDER BY 1, 2',
    );
    expect(rows).toEqual([
      { level: 0, index: 0, width: 256 },
      { level: 0, index: 1, width: 256 },
      { level: 0, index: 2, width: 89 },
      { level: 1, index: 0, width: 2 },
    ]);
  });

  it('rejects a declaration that keeps changed events', async () => {
    await insertEvents(world.pool, events);
    world.start();
    await world.signedSize(1000);
    await world.pool.query(`DELETE FROM log WHERE n >= 600`);
    await world.pool.query(`UPDATE log SET data = '{}' WHERE n = 599`);
    await insertEvents(world.pool, [truncated(600, 1000, 600)]);
    await world.once(async () => (await world.store.state())?.stopped);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await world.store.latestCheckpoint()).toMatchObject({ size: 1000, generation: 0 });
  });

  /** Seals all events, and damages a tile while no sealer runs. */
  async function damageTheEdge(): Promise<void> {
    await insertEvents(world.pool, events);
    const { stop, ended } = world.start();
    await world.signedSize(1000);
    stop.abort();
    await ended;
    await world.pool.query(
      `UPDATE ledger_tile SET hashes = set_byte(hashes, 5, get_byte(hashes, 5) # 1) WHERE level = 0 AND tile_index = 3`,
    );
  }

  it('never signs over damaged tiles, and resumes after their repair', async () => {
    await damageTheEdge();
    world.start();
    expect(await world.once(async () => (await world.store.state())?.stopped)).toContain('seal mend');
    await insertEvents(world.pool, sampleEvents(1010).slice(1000));
    expect(await repairTiles({ pool: world.pool, store: world.store, log: tableLog(world.pool) })).toEqual({ kind: 'mended', tiles: 1 });
    expect((await world.signedSize(1010)).root).toEqual(sealed(sampleEvents(1010)).checkpoint.root);
  });

  it('grows no tree from tiles that are mended while it reads them', async () => {
    await damageTheEdge();
    const store = new LedgerStore(world.pool);
    const { readTiles } = store;
    let mended: ReturnType<typeof repairTiles> | undefined;
    const mend = () => (mended ??= repairTiles({ pool: world.pool, store: world.store, log: tableLog(world.pool) }));
    const mendedAfterwards: typeof readTiles = async (tiles) => {
      const bytes = await readTiles(tiles);
      await mend();
      return bytes;
    };
    world.start({ store: Object.assign(store, { readTiles: mendedAfterwards }) });
    await insertEvents(world.pool, sampleEvents(1010).slice(1000));
    expect((await world.signedSize(1010)).root).toEqual(sealed(sampleEvents(1010)).checkpoint.root);
    expect(await mend()).toEqual({ kind: 'mended', tiles: 1 });
  });

  it('repairs lost tiles, but not from a changed log', async () => {
    await insertEvents(world.pool, events);
    world.start();
    await world.signedSize(1000);
    const log = tableLog(world.pool);
    await world.pool.query('DELETE FROM ledger_tile WHERE tile_index = 1');
    await world.pool.query(`UPDATE log SET data = '{}' WHERE n = 10`);
    expect(await repairTiles({ pool: world.pool, store: world.store, log })).toMatchObject({ kind: 'refused' });
    await world.pool.query('DELETE FROM log WHERE n = 10');
    expect(await repairTiles({ pool: world.pool, store: world.store, log })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('10'),
    });
    await insertEvents(world.pool, events.slice(10, 11));
    expect(await repairTiles({ pool: world.pool, store: world.store, log })).toEqual({ kind: 'mended', tiles: 1 });
    expect(await repairTiles({ pool: world.pool, store: world.store, log })).toEqual({ kind: 'mended', tiles: 0 });
  });
});

describe('the status of the seal', () => {
  it('reports its lag and why it stopped', async () => {
    await insertEvents(world.pool, sampleEvents(3));
    const before = await world.store.status();
    expect(before).toMatchObject({ stopped: null, unsigned: 3, unwitnessed: 0 });
    expect(before.lagSeconds).toBeGreaterThan(0);
    world.start();
    await world.signedSize(3);
    expect(await world.store.status()).toEqual({ stopped: null, unsigned: 0, lagSeconds: 0, unwitnessed: 1 });
    await world.pool.query('DELETE FROM log WHERE n = 2');
    await world.once(async () => (await world.store.status()).stopped !== null);
    expect((await world.store.status()).stopped).toContain('shorter');
  });
});
