import { describe, expect } from '@jest/globals';
import type { EventStore } from '../event-store.ts';
import { EventTooLarge, MAX_EVENT_BYTES } from '../limits.ts';
import { appendedAt, type ContractTest, event, idsOf, newStream, streamOf } from './support.contract.ts';

export function appendContract(test: ContractTest): void {
  describe('append', () => {
    test('creates a stream with `no stream` as expected revision', async (store) => {
      const stream = newStream();
      expect(await store.append(stream, 'no stream', [event(stream, 0), event(stream, 1)])).toEqual(appendedAt(1));
      expect(await idsOf(store, stream)).toEqual([event(stream, 0).id, event(stream, 1).id]);
    });

    test('appends at the exact expected revision', async (store) => {
      const stream = await streamOf(store, 1);
      expect(await store.append(stream, 0, [event(stream, 1)])).toEqual(appendedAt(1));
      expect(await store.append(stream, 1, [event(stream, 2), event(stream, 3)])).toEqual(appendedAt(3));
    });

    test('answers a conflict with the actual revision', async (store) => {
      const stream = await streamOf(store, 2);
      const other = (revision: number) => event(stream, revision, 'other');
      expect(await store.append(stream, 'no stream', [other(0)])).toEqual({ kind: 'conflict', actual: 1 });
      expect(await store.append(stream, 0, [other(1)])).toEqual({ kind: 'conflict', actual: 1 });
      expect(await store.append(stream, 7, [other(8)])).toEqual({ kind: 'conflict', actual: 1 });
      expect(await store.append(newStream(), 0, [other(1)])).toEqual({ kind: 'conflict', actual: 'no stream' });
      expect(await idsOf(store, stream)).toEqual([event(stream, 0).id, event(stream, 1).id]);
    });

    test('gives a retried append its first answer', async (store) => {
      const stream = newStream();
      const append = () => store.append(stream, 'no stream', [event(stream, 0), event(stream, 1)]);
      const first = await append();
      expect(await append()).toEqual(first);
      expect(await idsOf(store, stream)).toHaveLength(2);
    });

    test('gives a retried append its first answer after later appends', async (store) => {
      const stream = await streamOf(store, 1);
      const append = () => store.append(stream, 0, [event(stream, 1), event(stream, 2)]);
      const first = await append();
      await store.append(stream, 2, [event(stream, 3)]);
      expect(await append()).toEqual(first);
      expect(await idsOf(store, stream)).toHaveLength(4);
    });

    test('answers a conflict when only some of the events exist already', async (store) => {
      const stream = await streamOf(store, 2);
      expect(await store.append(stream, 0, [event(stream, 1), event(stream, 2)])).toEqual({ kind: 'conflict', actual: 1 });
      expect(await store.append(stream, 'no stream', [event(stream, 0), event(stream, 1, 'other')])).toEqual({
        kind: 'conflict',
        actual: 1,
      });
      expect(await idsOf(store, stream)).toHaveLength(2);
    });

    test('lets exactly one of many racing writers win a revision', async (store) => {
      const stream = newStream();
      const racers = Array.from({ length: 20 }, (_, racer) =>
        store.append(stream, 'no stream', [event(stream, 0, `racer ${String(racer)}`)]),
      );
      const results = await Promise.all(racers);
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'conflict')).toEqual(Array(19).fill({ kind: 'conflict', actual: 0 }));
      expect(await idsOf(store, stream)).toHaveLength(1);
    });

    test('checks the expected revision of each stream in a batch by itself', async (store) => {
      const streams = Array.from({ length: 60 }, newStream);
      const wrong = (index: number) => index % 3 === 1;
      const all = streams.map((stream, index) => {
        const events = [event(stream, 0), event(stream, 1)];
        return wrong(index) ? store.append(stream, 4, events) : store.append(stream, 'no stream', events);
      });
      const expected = streams.map((_, index) => (wrong(index) ? { kind: 'conflict', actual: 'no stream' } : appendedAt(1)));
      expect(await Promise.all(all)).toEqual(expected);
      for (const [index, stream] of streams.entries()) expect(await idsOf(store, stream)).toHaveLength(wrong(index) ? 0 : 2);
    });
  });
}

export function validationContract(test: ContractTest): void {
  describe('validation of an append', () => {
    const refused = async (store: EventStore, data: object, error: new (message: string) => Error): Promise<void> => {
      const stream = newStream();
      await expect(store.append(stream, 'no stream', [{ ...event(stream, 0), data }])).rejects.toThrow(error);
      expect(await idsOf(store, stream)).toEqual([]);
    };

    test('refuses an event over 60 KiB', async (store) => {
      await refused(store, { text: 'x'.repeat(MAX_EVENT_BYTES) }, EventTooLarge);
      await refused(store, { text: 'ü'.repeat(MAX_EVENT_BYTES / 2) }, EventTooLarge);
    });

    test('accepts an event of just under 60 KiB', async (store) => {
      const stream = newStream();
      const fitting = { ...event(stream, 0), data: { text: 'x'.repeat(MAX_EVENT_BYTES - 500) } };
      expect(await store.append(stream, 'no stream', [fitting])).toEqual(appendedAt(0));
    });

    test('refuses an append over 1 MiB and writes none of it', async (store) => {
      const stream = newStream();
      const large = (revision: number) => ({ ...event(stream, revision), data: { text: 'x'.repeat(59 * 1024) } });
      const events = Array.from({ length: 18 }, (_, revision) => large(revision));
      await expect(store.append(stream, 'no stream', events)).rejects.toThrow(EventTooLarge);
      expect(await store.append(stream, 'no stream', events.slice(0, 17))).toEqual(appendedAt(16));
    });

    test('throws a TypeError for data without a JSON form', async (store) => {
      await refused(store, { big: 1n }, TypeError);
      const circle: { self?: object } = {};
      circle.self = circle;
      await refused(store, circle, TypeError);
      await refused(store, { toJSON: () => undefined }, TypeError);
    });

    test('throws a RangeError for an append without events', async (store) => {
      await expect(store.append(newStream(), 'no stream', [])).rejects.toThrow(RangeError);
    });

    test('throws a RangeError for names that JSON escapes and for invalid or repeated ids', async (store) => {
      const stream = newStream();
      await expect(store.append(stream, 'no stream', [{ ...event(stream, 0), id: 'not a uuid' }])).rejects.toThrow(RangeError);
      await expect(store.append('a"b', 'no stream', [event('a"b', 0)])).rejects.toThrow(RangeError);
      await expect(store.append(stream, 'no stream', [{ ...event(stream, 0), type: 'line\nbreak' }])).rejects.toThrow(RangeError);
      await expect(store.append(stream, 'no stream', [event(stream, 0), event(stream, 0)])).rejects.toThrow(RangeError);
    });
  });
}
