import { describe, expect } from '@jest/globals';
import { thorough } from '../../../../test/support/thorough.ts';
import type { ReadOptions } from '../event-store.ts';
import {
  appendedAt,
  appendOneByOne,
  type ContractTest,
  event,
  idsOf,
  newStream,
  read,
  streamOf,
  TestSubscription,
} from './support.contract.ts';

export function readContract(test: ContractTest): void {
  describe('reading a stream', () => {
    test('reads a stream that does not exist as empty', async (store) => {
      expect(await read(store, newStream())).toEqual([]);
      expect(await read(store, newStream(), { direction: 'backward' })).toEqual([]);
    });

    test('returns exactly what was written', async (store) => {
      const stream = newStream();
      const awkward = { text: 'ä€😀\u0000\u2028\n"\\', lone: '\ud800', number: 1e21, deep: [{ a: null }, []] };
      const written = { ...event(stream, 0), version: 3, data: awkward };
      await store.append(stream, 'no stream', [written]);
      expect(await read(store, stream)).toEqual([{ ...written, stream, revision: 0 }]);
    });

    test('reads forward and backward from any revision', async (store) => {
      const stream = await streamOf(store, 7);
      const revisions = async (options: ReadOptions) => (await read(store, stream, options)).map(({ revision }) => revision);
      expect(await revisions({})).toEqual([0, 1, 2, 3, 4, 5, 6]);
      expect(await revisions({ from: 4 })).toEqual([4, 5, 6]);
      expect(await revisions({ from: 2, limit: 2 })).toEqual([2, 3]);
      expect(await revisions({ from: 7 })).toEqual([]);
      expect(await revisions({ direction: 'backward' })).toEqual([6, 5, 4, 3, 2, 1, 0]);
      expect(await revisions({ direction: 'backward', limit: 1 })).toEqual([6]);
      expect(await revisions({ direction: 'backward', from: 3, limit: 2 })).toEqual([3, 2]);
      expect(await revisions({ direction: 'backward', from: 0 })).toEqual([0]);
      expect(await revisions({ direction: 'backward', from: 99, limit: 1 })).toEqual([6]);
    });

    test('reads what was stored after a position', async (store) => {
      const stream = await streamOf(store, 2);
      const other = newStream();
      const appended = await store.append(other, 'no stream', [event(other, 0)]);
      const after = appended.kind === 'appended' ? appended.place.position : '';
      const revisions = async () => (await read(store, stream, { after })).map(({ revision }) => revision);
      // An engine may also read from the start.
      expect([[], [0, 1]]).toContainEqual(await revisions());
      await store.append(stream, 1, [event(stream, 2), event(stream, 3)]);
      expect([
        [2, 3],
        [0, 1, 2, 3],
      ]).toContainEqual(await revisions());
    });

    test('reads a stream of many pages completely', async (store) => {
      const stream = await streamOf(store, 1_300);
      const all = (options: ReadOptions) => read(store, stream, options);
      expect((await all({})).map(({ revision }) => revision)).toEqual(Array.from({ length: 1_300 }, (_, revision) => revision));
      expect((await all({ direction: 'backward' })).map(({ revision }) => revision).at(-1)).toBe(0);
      expect(await all({ from: 100, limit: 1_001 })).toHaveLength(1_001);
    });

    test('reads the beginnings of many streams at once', async (store) => {
      const long = await streamOf(store, 120);
      const streams = [long, ...(await Promise.all(Array.from({ length: 20 }, () => streamOf(store, 2)))), newStream(), long];
      const lengths = async (limit: number) =>
        (await Promise.all(streams.map((stream) => read(store, stream, { limit })))).map(({ length }) => length);
      expect(await lengths(100)).toEqual([100, ...Array.from({ length: 20 }, () => 2), 0, 100]);
      expect(await lengths(1)).toEqual([1, ...Array.from({ length: 20 }, () => 1), 0, 1]);
    });

    test('answers the ends of many streams at once, without those that do not exist', async (store) => {
      const [one, other, none] = [await streamOf(store, 3), await streamOf(store, 1), newStream()];
      const last = async (stream: string) =>
        (await read(store, stream, { direction: 'backward', limit: 1 })).map(({ revision, id }) => ({ revision, id }));
      const ends = await store.ends([one, other, none, one]);
      expect([...ends.keys()].sort()).toEqual([one, other].sort());
      expect([ends.get(one), ends.get(other)]).toEqual([...(await last(one)), ...(await last(other))]);
      await store.append(one, 2, [event(one, 3)]);
      expect((await store.ends([one])).get(one)?.revision).toBe(3);
      expect(await store.ends([])).toEqual(new Map());
    });

    test('lets a reader stop early', async (store) => {
      const stream = await streamOf(store, 3);
      for await (const { revision } of store.readStream(stream)) if (revision === 1) break;
      expect(await idsOf(store, stream)).toHaveLength(3);
    });
  });
}

export function followContract(test: ContractTest): void {
  describe('subscribing to the whole store', () => {
    test('delivers every event once and in order while many writers append', async (store) => {
      const streams = Array.from({ length: thorough(32, 12) }, newStream);
      const subscription = await TestSubscription.atEnd(store);
      await Promise.all(streams.map((stream) => appendOneByOne(store, stream, 25)));
      await subscription.until(() => streams.every((stream) => subscription.revisionsOf(stream).length === 25));
      for (const stream of streams) expect(subscription.revisionsOf(stream)).toEqual(Array.from({ length: 25 }, (_, revision) => revision));
      expect(subscription.positionsGrow()).toBe(true);
      await subscription.stop();
    });

    test('shows two subscriptions the same order', async (store) => {
      const streams = Array.from({ length: 8 }, newStream);
      const live = await TestSubscription.atEnd(store);
      const start = live.start;
      await Promise.all(streams.map((stream) => appendOneByOne(store, stream, 20)));
      const later = new TestSubscription(store, start);
      await Promise.all(
        [live, later].map((subscription) =>
          subscription.until(() => streams.every((stream) => subscription.revisionsOf(stream).length === 20)),
        ),
      );
      expect(later.order()).toEqual(live.order());
      await Promise.all([live.stop(), later.stop()]);
    });

    test('resumes strictly after a position and continues live', async (store) => {
      const stream = await streamOf(store, 5);
      const whole = new TestSubscription(store, null);
      await whole.until(() => whole.revisionsOf(stream).length === 5);
      await whole.stop();
      const second = whole.events.find((event) => event.stream === stream && event.revision === 1);
      const rest = new TestSubscription(store, second?.position ?? null);
      await rest.until(() => rest.revisionsOf(stream).length === 3);
      await store.append(stream, 4, [event(stream, 5)]);
      await rest.until(() => rest.revisionsOf(stream).length === 4);
      expect(rest.revisionsOf(stream)).toEqual([2, 3, 4, 5]);
      await rest.stop();
    });

    test('delivers an event with the position that its append returned', async (store) => {
      const stream = newStream();
      const subscription = await TestSubscription.atEnd(store);
      const result = await store.append(stream, 'no stream', [event(stream, 0)]);
      await subscription.until(() => subscription.revisionsOf(stream).length === 1);
      expect(result).toEqual({
        ...appendedAt(0),
        place: { position: subscription.events.find((seen) => seen.stream === stream)?.position },
      });
      await subscription.stop();
    });

    test('delivers the time at which each event was stored', async (store) => {
      const stream = newStream();
      const subscription = await TestSubscription.atEnd(store);
      await store.append(stream, 'no stream', [event(stream, 0)]);
      await subscription.until(() => subscription.revisionsOf(stream).length === 1);
      const storedAt = Date.parse(subscription.events.find((seen) => seen.stream === stream)?.storedAt ?? '');
      expect(Math.abs(storedAt - Date.now())).toBeLessThan(60_000);
      await subscription.stop();
    });

    test('ends when aborted while waiting', async (store) => {
      const subscription = await TestSubscription.atEnd(store);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await subscription.stop();
    });
  });
}
