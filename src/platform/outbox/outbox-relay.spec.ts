import { describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { LocalWake } from '../postgres/wake.ts';
import { OutboxRelay, type OutboxRow, type SendAttempt } from './outbox-relay.ts';

interface TestRow extends OutboxRow {
  readonly recipient: string;
}

const never = new AbortController().signal;
const delivered: SendAttempt = { outcome: { kind: 'delivered', answer: 'ok' } };

/** A relay of one channel that sends two rows at once, on a table in memory. */
class World {
  now = Date.parse('2026-03-01T10:00:00Z');
  reads = 0;
  rows: TestRow[] = [];
  /** What happened, in order. */
  readonly steps: string[] = [];
  readonly rescheduled: { readonly inMs: number; readonly giveUpInMs: number }[] = [];
  readonly errors: unknown[] = [];
  readonly wake = new LocalWake();
  send: (row: TestRow) => Promise<SendAttempt> = () => Promise.resolve(delivered);
  readonly relay = new OutboxRelay<TestRow>({
    due: (now, inFlight) => {
      this.reads++;
      return Promise.resolve(this.rows.filter(({ id, nextTry }) => nextTry.getTime() <= now && !inFlight.includes(id)));
    },
    nextAt: () => Promise.resolve(null),
    isEmpty: () => Promise.resolve(this.rows.length === 0),
    deleteFinished: () => Promise.resolve(),
    rows: {
      finish: async (id, { state, attempts, answer }) => {
        this.steps.push(`${id} ${state} ${String(attempts)} ${answer}`);
        this.rows = this.rows.filter((row) => row.id !== id);
        await Promise.resolve();
      },
      reschedule: async (id, attempts, reason, { at, giveUpAt }) => {
        this.steps.push(`${id} later ${String(attempts)} ${reason}`);
        this.rescheduled.push({ inMs: at - this.now, giveUpInMs: giveUpAt.getTime() - this.now });
        this.rows = this.rows.map((row) => (row.id === id ? { ...row, attempts, nextTry: new Date(at), giveUpAt } : row));
        await Promise.resolve();
      },
    },
    send: async (row) => {
      this.steps.push(`send ${row.id}`);
      return this.send(row);
    },
    ruleOf: ({ recipient }) => ({ channel: 'post', maxConcurrent: 2, recipient }),
    wake: this.wake,
    topic: 'test',
    clock: { now: () => this.now },
    random: () => 0.5,
    report: (error) => this.errors.push(error),
  });

  add(id: string, recipient = id): void {
    this.rows.push({ id, recipient, attempts: 0, nextTry: new Date(this.now), giveUpAt: new Date(this.now + 1_000_000) });
  }

  get sent(): readonly string[] {
    return this.steps.filter((step) => step.startsWith('send ')).map((step) => step.slice(5));
  }
}

describe('the relay of an outbox', () => {
  it('fills the place of a row that ended from the last read, and reads again when nothing is left of it', async () => {
    const world = new World();
    for (const id of ['a', 'b', 'c', 'd']) world.add(id);
    const ends = new Map<string, () => void>();
    world.send = ({ id }) =>
      new Promise((resolve) =>
        ends.set(id, () => {
          resolve(delivered);
        }),
      );
    const over = new AbortController();
    const working = world.relay.work(over.signal);
    await until(() => Promise.resolve(world.reads === 2), 5_000);
    ends.get('b')?.();
    await until(() => Promise.resolve(world.sent.length === 3), 5_000);
    world.add('e');
    ends.get('a')?.();
    await until(() => Promise.resolve(world.sent.length === 4), 5_000);
    expect([world.sent, world.reads]).toEqual([['a', 'b', 'c', 'd'], 2]);
    ends.get('c')?.();
    await until(() => Promise.resolve(world.sent.length === 5), 5_000);
    ends.get('d')?.();
    ends.get('e')?.();
    over.abort();
    await working;
    expect(world.rows).toEqual([]);
  });

  it('has one row of a recipient in flight at a time', async () => {
    const world = new World();
    world.add('first', 'same');
    world.add('second', 'same');
    let end: () => void = () => undefined;
    world.send = () =>
      new Promise(
        (resolve) =>
          (end = () => {
            resolve(delivered);
          }),
      );
    expect(await world.relay.poll(never)).toBe(1);
    expect(world.sent).toEqual(['first']);
    end();
    await until(() => Promise.resolve(world.sent.length === 2), 5_000);
    end();
    await world.relay.drain();
    expect(world.steps).toEqual(['send first', 'first delivered 1 ok', 'send second', 'second delivered 1 ok']);
  });

  it('starts nothing more once its lease is lost, and leaves a row that was not handed over as it is', async () => {
    const world = new World();
    for (const id of ['a', 'b', 'c']) world.add(id);
    const lost = new AbortController();
    world.send = () => {
      lost.abort();
      return Promise.resolve({ outcome: { kind: 'abandoned' } });
    };
    expect(await world.relay.poll(lost.signal)).toBe(1);
    await world.relay.drain();
    expect([world.steps, world.rows.length]).toEqual([['send a'], 3]);
  });

  it('records the end before the row is noted', async () => {
    const world = new World();
    world.add('a');
    world.add('b');
    const outcomes = { a: { kind: 'delivered', answer: 'ok' }, b: { kind: 'refused', reason: 'no' } } as const;
    world.send = ({ id }) =>
      Promise.resolve({
        outcome: outcomes[id as 'a' | 'b'],
        record: ({ state, attempts }) => Promise.resolve(void world.steps.push(`record ${id} ${state} ${String(attempts)}`)),
      });
    await world.relay.poll(never);
    await world.relay.drain();
    const stepsOf = (id: string): readonly string[] => world.steps.filter((step) => step.split(' ').includes(id));
    expect(stepsOf('a')).toEqual(['send a', 'record a delivered 1', 'a delivered 1 ok']);
    expect(stepsOf('b')).toEqual(['send b', 'record b failed 1', 'b failed 1 no']);
  });

  it('tries again after a failure on our side, which counts neither as an attempt nor against the deadline', async () => {
    const world = new World();
    world.add('a');
    world.send = () => Promise.reject(new Error('database away'));
    for (let minute = 0; minute < 60; minute++) {
      await world.relay.poll(never);
      await world.relay.drain();
      world.now += 60_000;
    }
    expect(world.steps.slice(0, 2)).toEqual(['send a', 'a later 0 failed inside Watchledger']);
    expect(world.errors).toHaveLength(60);
    expect(world.rescheduled.at(-1)).toEqual({ inMs: 5_000, giveUpInMs: 1_000_000 + 5_000 });
    world.send = () => Promise.resolve({ outcome: { kind: 'later', reason: 'busy', afterMs: null } });
    await world.relay.poll(never);
    await world.relay.drain();
    expect(world.steps.at(-1)).toBe('a later 1 busy');
  });

  it('makes a last attempt at the deadline and then gives up', async () => {
    const world = new World();
    world.add('a');
    world.send = () => Promise.resolve({ outcome: { kind: 'later', reason: 'busy', afterMs: 5_000_000 } });
    await world.relay.poll(never);
    await world.relay.drain();
    expect(world.rescheduled).toEqual([{ inMs: 1_000_000, giveUpInMs: 1_000_000 }]);
    world.now += 1_000_000;
    await world.relay.poll(never);
    await world.relay.drain();
    expect(world.steps.at(-1)).toBe('a failed 2 tried for 24 hours: busy');
  });
});
