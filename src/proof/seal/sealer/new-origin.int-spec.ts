import { beforeEach, describe, expect, it } from '@jest/globals';
import { insertEvents } from '../../../../test/support/log-table.ts';
import { inFreshSeals, type SealWorld } from '../../../../test/support/seal-world.ts';
import { ORIGIN, sampleEvents, sealed, truncated, verifierKey, verifierKeys } from '../../../../test/support/sealed-log.ts';
import type { StoredCheckpoint } from '../store/ledger-store.ts';
import { SealerDisplaced, SealWriter } from '../store/seal-writer.ts';
import { verifyOriginEnd } from '../../../client/proofs/origin-end.ts';
import { verifyLog } from '../../../client/proofs/verify-log.ts';
import { wholeLog } from '../whole-log.ts';

let world: SealWorld;
inFreshSeals((fresh) => {
  world = fresh;
});

const originOf = ({ note }: StoredCheckpoint): string => note.split('\n')[0] ?? '';

describe('a log that lost sealed events', () => {
  const events = sampleEvents(400);
  let last: StoredCheckpoint;
  beforeEach(async () => {
    await insertEvents(world.pool, events.slice(0, 300));
    const { stop, ended } = world.start();
    last = await world.signedSize(300);
    stop.abort();
    await ended;
  });
  const lose = async (): Promise<void> => {
    await world.pool.query('DELETE FROM log WHERE n >= 200');
    await insertEvents(world.pool, [truncated(200, 300, 200, { lastCheckpoint: last.note })]);
  };
  const verdict = async () => verifyLog(await wholeLog({ pool: world.pool, store: world.store, keys: verifierKeys }));

  it('continues under another origin, and states the end of the former one', async () => {
    await lose();
    world.start();
    const first = await world.signedSize(201);
    expect([originOf(first), first.generation]).toEqual([`${ORIGIN}/2`, 1]);
    const [second, ended] = await world.store.origins();
    expect([second?.end, ended?.checkpoint]).toEqual([null, last.note]);
    // Who trusts the former key alone learns the next one.
    expect(verifyOriginEnd(ended?.end ?? '', [verifierKey])).toMatchObject({
      kind: 'signed',
      end: { ended: ORIGIN, lastCheckpoint: last.note, continuesAs: { origin: `${ORIGIN}/2`, keys: [verifierKeys[1]?.text] } },
      last: { size: 300 },
    });
    expect(await verdict()).toMatchObject({ kind: 'intact', checkpoints: 2, givenUp: 1 });
  });

  it.each([1, 2, 3])('signs the former origin no more when the sealer ends at its transaction %d', async (at) => {
    await lose();
    let transactions = 0;
    await world
      .start({}, () => Promise.resolve(++transactions !== at))
      .ended.then((error) => {
        expect(error).toBeInstanceOf(SealerDisplaced);
      });
    world.start();
    await world.signedSize(201);
    const signed = await world.store.checkpointsAfter(last.number, 10);
    expect(signed.map((one) => [originOf(one), one.size])).toEqual([[`${ORIGIN}/2`, 201]]);
    expect((await world.store.origins()).map(({ end }) => end === null)).toEqual([true, false]);
  });

  it('is not signed under the former origin by a sealer that took no notice', async () => {
    await lose();
    world.start();
    const { root } = await world.signedSize(201);
    const writer = new SealWriter(world.pool, { signal: new AbortController().signal, holds: () => Promise.resolve(true) });
    await expect(writer.sign({ size: 201, root, note: 'stale', generation: 0 })).rejects.toBeInstanceOf(SealerDisplaced);
  });

  it('follows a declaration that it reads while it seals, as after a restore of the seal alone', async () => {
    // The log is in another store: it has the declaration, the restored seal is from before it.
    await world.pool.query('DELETE FROM ledger_checkpoint; DELETE FROM ledger_tile; UPDATE ledger_state SET size = 0, generation = 0');
    await lose();
    world.start();
    const first = await world.signedSize(201);
    expect(originOf(first)).toBe(`${ORIGIN}/2`);
    // The declaration lists what the seal had lost.
    expect(await world.store.checkpointsAfter(0, 10)).toMatchObject([{ note: last.note, generation: 0 }, { size: 201 }]);
    expect(await verdict()).toMatchObject({ kind: 'intact', givenUp: 1 });
  });

  it('is not signed under an origin that ended, and continues with the third', async () => {
    const tables = ['ledger_state', 'ledger_tile', 'ledger_checkpoint', 'log'];
    await world.pool.query('CREATE SCHEMA former');
    for (const table of tables) await world.pool.query(`CREATE TABLE former.${table} AS TABLE ${table}`);
    const guard = world.guard();
    await lose();
    const { stop, ended } = world.start({ guard });
    const second = await world.signedSize(201);
    stop.abort();
    await ended;
    // A backup from before the loss: in itself it is consistent.
    for (const table of tables) await world.pool.query(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM former.${table}`);
    await insertEvents(world.pool, events.slice(300, 310));
    world.start({ guard });
    expect(await world.once(async () => (await world.store.state())?.stopped)).toContain(`${ORIGIN}/2 replaced ${ORIGIN}`);
    expect(await world.store.latestCheckpoint()).toMatchObject({ size: 300, generation: 0 });
    const known = await guard.openNote(second.note, 'a file');
    expect(known && (await guard.lossOf(known))).toMatchObject({ from: 201, to: 0 });
    await insertEvents(world.pool, [
      truncated(310, 201, 0, { checkpoint: second.note, lastCheckpoint: second.note, origin: `${ORIGIN}/3` }),
    ]);
    const third = await world.signedSize(311);
    expect([originOf(third), third.generation]).toEqual([`${ORIGIN}/3`, 2]);
    expect(await verdict()).toMatchObject({ kind: 'intact', givenUp: 1 });
    expect(await guard.contradiction()).toBeNull();
  });

  it('accepts that more of the former origin was lost than was declared, under the same origin', async () => {
    await lose();
    const guard = world.guard();
    world.start({ guard });
    await world.signedSize(201);
    // An instance that was away returns with what it signed.
    const more = sealed(sampleEvents(350, 7)).checkpoint;
    const away = world.guard();
    await away.keep({ ...more, generation: 0 });
    expect(await away.follow()).toMatchObject({ kind: 'short', known: { size: 350 } });
    await world.once(async () => (await world.store.state())?.stopped);
    await insertEvents(world.pool, [truncated(201, 350, 200, { checkpoint: more.note })]);
    expect(originOf(await world.signedSize(202))).toBe(`${ORIGIN}/2`);
    expect(await verdict()).toMatchObject({ kind: 'intact', givenUp: 2 });
  });
});
