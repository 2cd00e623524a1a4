import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { insertEvents, tableLog } from '../../../../test/support/log-table.ts';
import { inFreshSeals, type SealWorld } from '../../../../test/support/seal-world.ts';
import { ORIGIN, sampleEvents, truncated, verifierKeys } from '../../../../test/support/sealed-log.ts';
import { createSigner, signCheckpoint } from '../signer.ts';
import type { StoredCheckpoint } from '../store/ledger-store.ts';
import { SealerDisplaced } from '../store/seal-writer.ts';
import { verifyLog } from '../../../client/proofs/verify-log.ts';
import { wholeLog } from '../whole-log.ts';
import { CheckpointFile } from './checkpoint-file.ts';

let world: SealWorld;
inFreshSeals((fresh) => {
  world = fresh;
});

describe('after a failover that lost commits of log and seal, the sealer', () => {
  const events = sampleEvents(1000);
  const tables = ['ledger_state', 'ledger_tile', 'ledger_checkpoint'];
  beforeEach(async () => {
    await insertEvents(world.pool, events.slice(0, 900));
    const { stop, ended } = world.start();
    await world.signedSize(900);
    stop.abort();
    await ended;
    await world.pool.query('CREATE SCHEMA former');
    for (const table of tables) await world.pool.query(`CREATE TABLE former.${table} AS TABLE ${table}`);
  });
  const failOver = (lost: string) =>
    world.pool.query(
      ['BEGIN', lost, ...tables.map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM former.${table}`), 'COMMIT'].join(
        ';',
      ),
    );

  const others = sampleEvents(1100, 5);
  const sealAll = async (guard = world.guard()): Promise<StoredCheckpoint> => {
    await insertEvents(world.pool, events.slice(900));
    const { ended } = world.start({ guard });
    const lost = await world.signedSize(1000);
    await failOver('DELETE FROM log WHERE n >= 900');
    expect(await ended).toBeInstanceOf(SealerDisplaced);
    return lost;
  };
  /** Nothing is signed, neither while the log is shorter than what was signed before nor once it is longer. */
  const expectStopped = async (): Promise<void> => {
    expect(await world.once(async () => (await world.store.state())?.stopped)).toContain('over 1000 events');
    await insertEvents(world.pool, others.slice(900));
    await world.once(async () => (await world.store.state())?.stopped?.includes('are others'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await world.store.latestCheckpoint()).toMatchObject({ size: 900 });
  };
  const declare = async (lost: StoredCheckpoint): Promise<void> => {
    const n = (await tableLog(world.pool).head()) + 1;
    await insertEvents(world.pool, [truncated(n, 1000, 900, { checkpoint: lost.note, lastCheckpoint: lost.note })]);
  };

  it('signs nothing that contradicts what it signed itself', async () => {
    const guard = world.guard();
    await sealAll(guard);
    world.start({ guard });
    await expectStopped();
  });

  it('signs nothing after a restart either: it has kept the checkpoint in a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'watchledger-seal-'));
    await sealAll(world.guard(new CheckpointFile(folder)));
    world.start({ guard: world.guard(new CheckpointFile(folder)) });
    await expectStopped();
    await rm(folder, { recursive: true });
  });

  it('signs nothing on another instance that had followed as a standby', async () => {
    const standby = world.guard();
    await standby.follow();
    await insertEvents(world.pool, events.slice(900));
    const { ended } = world.start();
    await world.signedSize(1000);
    await standby.follow();
    await failOver('DELETE FROM log WHERE n >= 900');
    await ended;
    world.start({ guard: standby });
    await expectStopped();
  });

  it('signs nothing on an instance that learns it from one that does not seal', async () => {
    const witnessOfTheLoss = world.guard();
    await sealAll(witnessOfTheLoss);
    world.start();
    expect(await witnessOfTheLoss.follow()).toMatchObject({ kind: 'short' });
    await expectStopped();
  });

  it('signs nothing that contradicts the witness, which cannot invent a checkpoint', async () => {
    const lost = await sealAll();
    const guard = world.guard();
    await guard.learn('nonsense');
    await guard.learn(signCheckpoint({ origin: ORIGIN, size: 5_000, root: lost.root }, [createSigner(ORIGIN, Buffer.alloc(32, 7))]));
    expect(await guard.contradiction()).toBeNull();
    await guard.learn(lost.note);
    world.start({ guard });
    await expectStopped();
  });

  it('seals on when the same events come back, as from an event store', async () => {
    const guard = world.guard();
    await sealAll(guard);
    world.start({ guard });
    await world.once(async () => (await world.store.state())?.stopped);
    await insertEvents(world.pool, sampleEvents(1010).slice(900));
    await world.signedSize(1010);
    await world.once(async () => (await world.store.state())?.stopped === null);
    expect(await world.store.state()).toMatchObject({ generation: 0 });
    expect(await world.store.evidence()).toEqual([]);
  });

  it('signs again what only the seal lost, without new events', async () => {
    const guard = world.guard();
    await insertEvents(world.pool, events.slice(900));
    const { ended } = world.start({ guard });
    await world.signedSize(1000);
    await failOver('SELECT');
    expect(await ended).toBeInstanceOf(SealerDisplaced);
    world.start({ guard });
    await world.signedSize(1000);
  });

  it('seals on once the loss of that checkpoint is declared, and not after a second loss', async () => {
    const guard = world.guard();
    const lost = await sealAll(guard);
    world.start({ guard });
    await expectStopped();
    await declare(lost);
    const { generation } = await world.signedSize(1101);
    expect(generation).toBe(1);
    const [listed] = (await world.store.checkpointsAfter(0, 10)).slice(-2);
    expect(listed).toMatchObject({ size: 1000, generation: 0, root: lost.root });
    const verdict = await verifyLog(await wholeLog({ pool: world.pool, store: world.store, keys: verifierKeys }));
    expect(verdict).toMatchObject({ kind: 'intact', givenUp: 1 });
    // An instance with the declared checkpoint in its file takes over.
    const returned = world.guard();
    await returned.keep({ ...lost, generation: 0 });
    expect(await returned.contradiction()).toBeNull();
    // The checkpoint after the declaration is lost, too.
    await world.pool.query('DELETE FROM log WHERE n >= 1100; DELETE FROM ledger_checkpoint WHERE size = 1101');
    await world.pool.query('UPDATE ledger_state SET size = 1100, generation = 0');
    expect(await guard.contradiction()).toMatchObject({ kind: 'short', known: { size: 1101, generation: 1 } });
  });

  it('seals on where the file cannot be written, and says so', async () => {
    const guard = world.guard(new CheckpointFile('/dev/null/data'));
    await insertEvents(world.pool, events.slice(900));
    world.start({ guard });
    await world.signedSize(1000);
    expect(guard.unkept).toContain('ENOTDIR');
  });

  it('keeps the checkpoint before it is committed', async () => {
    const guard = world.guard();
    await insertEvents(world.pool, events.slice(900));
    let checks = 0;
    // The lease is lost between the growth of the tree and the commit of the checkpoint.
    const { ended } = world.start({ guard }, () => Promise.resolve(++checks < 2));
    expect(await ended).toBeInstanceOf(SealerDisplaced);
    expect(await guard.known()).toMatchObject([{ size: 1000 }]);
    expect(await world.store.latestCheckpoint()).toMatchObject({ size: 900 });
    world.start({ guard });
    await world.signedSize(1000);
  });
});
