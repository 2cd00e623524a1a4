import { describe, expect, it } from '@jest/globals';
import { inFreshSeals, type SealWorld } from '../../../../test/support/seal-world.ts';
import { sampleEvents } from '../../../../test/support/sealed-log.ts';
import { insertEvents } from '../../../../test/support/log-table.ts';
import { runWitness, type WitnessReply } from './witness.ts';

/** A witness that does not implement `GET`. */
const silent = (): Promise<WitnessReply> => Promise.resolve({ kind: 'answered', status: 405, body: '' });
const nothing = (): Promise<void> => Promise.resolve();

let world: SealWorld;
inFreshSeals((fresh) => {
  world = fresh;
});

describe('the witness', () => {
  it('receives each checkpoint once, also after an outage', async () => {
    const heard: string[] = [];
    const away: WitnessReply = { kind: 'failed', reason: 'no connection' };
    const answers: readonly WitnessReply[] = [away, { kind: 'answered', status: 503, body: '' }];
    const stop = new AbortController();
    const send = (text: string): Promise<WitnessReply> => {
      heard.push(text);
      return Promise.resolve(answers[heard.length - 1] ?? { kind: 'answered', status: 200, body: '' });
    };
    const witness = runWitness(
      { store: world.store, witness: { send, recall: silent }, learn: nothing, pollMs: 50, firstRetryMs: 50 },
      stop.signal,
    );
    await insertEvents(world.pool, sampleEvents(10));
    world.start();
    const first = await world.signedSize(10);
    await world.once(() => Promise.resolve(heard.length === 3));
    await insertEvents(world.pool, sampleEvents(12).slice(10));
    const second = await world.signedSize(12);
    await world.once(() => Promise.resolve(heard.length === 4));
    await world.once(async () => (await world.store.unwitnessed()) === null);
    stop.abort();
    await witness.ended;
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
    const send = (text: string): Promise<WitnessReply> => {
      heard.push(text);
      return Promise.resolve({ kind: 'answered', status: 200, body: '' });
    };
    const witness = runWitness(
      { store: forgetful, witness: { send, recall: silent }, learn: nothing, pollMs: 20, firstRetryMs: 20 },
      stop.signal,
    );
    await world.once(() => Promise.resolve(heard.length === 4));
    expect(await world.store.status()).toMatchObject({ stopped: null, unsigned: 0, lagSeconds: 0 });
    await world.once(async () => (await world.store.status()).unwitnessed === 0);
    stop.abort();
    await witness.ended;
    expect(heard).toEqual([notes[1], ...notes.slice(1)]);
  });

  it('does not delay the shutdown when it never answers', async () => {
    world.start();
    await insertEvents(world.pool, sampleEvents(1));
    await world.signedSize(1);
    const stop = new AbortController();
    let asked = 0;
    const send = (): Promise<WitnessReply> => {
      asked++;
      return new Promise(() => undefined);
    };
    const witness = runWitness({ store: world.store, witness: { send, recall: silent }, learn: nothing }, stop.signal);
    await world.once(() => Promise.resolve(asked === 1));
    stop.abort();
    await witness.ended;
  });
});

describe('a witness that answers what it has', () => {
  const answering =
    (reply: WitnessReply): (() => Promise<WitnessReply>) =>
    () =>
      Promise.resolve(reply);
  const run = (
    recall: () => Promise<WitnessReply>,
    learnt: string[],
  ): { readonly stop: () => Promise<void>; readonly asked: Promise<void> } => {
    const stop = new AbortController();
    const learn = (note: string): Promise<void> => {
      learnt.push(note);
      return Promise.resolve();
    };
    const send = answering({ kind: 'answered', status: 200, body: '' });
    const running = runWitness({ store: world.store, witness: { send, recall }, learn, pollMs: 20, firstRetryMs: 20 }, stop.signal);
    return {
      asked: running.asked,
      stop: () => {
        stop.abort();
        return running.ended;
      },
    };
  };

  it('is asked before the sealer starts', async () => {
    const learnt: string[] = [];
    const { asked, stop } = run(answering({ kind: 'answered', status: 200, body: 'a note\n' }), learnt);
    await asked;
    expect(learnt).toEqual(['a note\n']);
    await stop();
  });

  it('is asked again before the next checkpoint when it was away, and not when it does not tell', async () => {
    for (const [reply, expected] of [
      [{ kind: 'failed', reason: 'no connection' }, 2],
      [{ kind: 'answered', status: 404, body: 'none' }, 1],
    ] as const) {
      let asked = 0;
      const { stop, asked: first } = run(() => {
        asked++;
        return Promise.resolve(asked === 1 ? reply : { kind: 'answered', status: 200, body: 'a note\n' });
      }, []);
      await first;
      await world.pool.query(`INSERT INTO ledger_checkpoint (number, generation, size, root, note) VALUES ($1, 0, 1, '', 'n')`, [
        3 - expected,
      ]);
      await world.once(async () => (await world.store.unwitnessed()) === null);
      expect(asked).toBe(expected);
      await stop();
    }
  });
});
