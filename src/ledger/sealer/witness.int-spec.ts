import { describe, expect, it } from '@jest/globals';
import { inFreshSeals, type SealWorld } from '../../../test/support/seal-world.ts';
import { sampleEvents } from '../../../test/support/sealed-log.ts';
import { insertEvents } from '../../../test/support/log-table.ts';
import { runWitness, type WitnessReply } from './witness.ts';

let world: SealWorld;
inFreshSeals((fresh) => {
  world = fresh;
});

describe('the witness', () => {
  it('receives each checkpoint once, also after an outage', async () => {
    const heard: string[] = [];
    const away: WitnessReply = { kind: 'failed', reason: 'no connection' };
    const answers: readonly WitnessReply[] = [away, { kind: 'answered', status: 503 }];
    const stop = new AbortController();
    const post = (_: string, text: string): Promise<WitnessReply> => {
      heard.push(text);
      return Promise.resolve(answers[heard.length - 1] ?? { kind: 'answered', status: 200 });
    };
    const witness = runWitness({ store: world.store, url: 'http://witness.test/', post, pollMs: 50, firstRetryMs: 50 }, stop.signal);
    await insertEvents(world.pool, sampleEvents(10));
    world.start();
    const first = await world.signedSize(10);
    await world.once(() => Promise.resolve(heard.length === 3));
    await insertEvents(world.pool, sampleEvents(12).slice(10));
    const second = await world.signedSize(12);
    await world.once(() => Promise.resolve(heard.length === 4));
    await world.once(async () => (await world.store.unwitnessed()) === null);
    stop.abort();
    await witness;
    expect(heard).toEqual([first.note, first.note, first.note, second.note]);
  });

  it('receives the checkpoints of an outage in the order of signing without gaps, and at least once after a crash', async () => {
    world.start();
    const notes: string[] = [];
    for (let size = 1; size <= 4; size++) {
      await insertEvents(world.pool, sampleEvents(size).slice(size - 1));
      notes.push((await world.signedSize(size)).note);
    }
    await world.store.markWitnessed(1);
    const heard: string[] = [];
    const stop = new AbortController();
    let marks = 0;
    const forgetful = {
      unwitnessed: () => world.store.unwitnessed(),
      markWitnessed: (number: number) =>
        ++marks === 1 ? Promise.reject(new Error('the database is away')) : world.store.markWitnessed(number),
    };
    const post = (_: string, text: string): Promise<WitnessReply> => {
      heard.push(text);
      return Promise.resolve({ kind: 'answered', status: 200 });
    };
    const witness = runWitness({ store: forgetful, url: 'http://witness.test/', post, pollMs: 20, firstRetryMs: 20 }, stop.signal);
    await world.once(() => Promise.resolve(heard.length === 4));
    expect(await world.store.status()).toMatchObject({ stopped: null, unsigned: 0, lagSeconds: 0 });
    await world.once(async () => (await world.store.status()).unwitnessed === 0);
    stop.abort();
    await witness;
    expect(heard).toEqual([notes[1], ...notes.slice(1)]);
  });

  it('does not delay the shutdown when it never answers', async () => {
    world.start();
    await insertEvents(world.pool, sampleEvents(1));
    await world.signedSize(1);
    const stop = new AbortController();
    let asked = 0;
    const post = (): Promise<WitnessReply> => {
      asked++;
      return new Promise(() => undefined);
    };
    const witness = runWitness({ store: world.store, url: 'http://witness.test/', post }, stop.signal);
    await world.once(() => Promise.resolve(asked === 1));
    stop.abort();
    await witness;
  });
});
