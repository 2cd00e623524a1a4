import { describe, expect } from '@jest/globals';
import { appendedAt, begun, event, idsOf, newStream } from './steps.contract.ts';
import type { ContractTest } from './subject.contract.ts';

export function appending(test: ContractTest): void {
  describe('append', () => {
    test('begins a stream that must not be there yet', async (store) => {
      const stream = newStream();
      expect(await store.append(stream, 'no stream', [event(stream, 0), event(stream, 1)])).toEqual(appendedAt(1));
      expect(await idsOf(store, stream)).toEqual([event(stream, 0).id, event(stream, 1).id]);
    });

    test('goes on from the exact revision', async (store) => {
      const stream = await begun(store, 1);
      expect(await store.append(stream, 0, [event(stream, 1)])).toEqual(appendedAt(1));
      expect(await store.append(stream, 1, [event(stream, 2), event(stream, 3)])).toEqual(appendedAt(3));
    });

    test('answers a conflict with the revision that is there', async (store) => {
      const stream = await begun(store, 2);
      const other = (revision: number) => event(stream, revision, 'other');
      expect(await store.append(stream, 'no stream', [other(0)])).toEqual({ kind: 'conflict', actual: 1 });
      expect(await store.append(stream, 0, [other(1)])).toEqual({ kind: 'conflict', actual: 1 });
      expect(await store.append(stream, 7, [other(8)])).toEqual({ kind: 'conflict', actual: 1 });
      expect(await store.append(newStream(), 0, [other(1)])).toEqual({ kind: 'conflict', actual: 'no stream' });
      expect(await idsOf(store, stream)).toEqual([event(stream, 0).id, event(stream, 1).id]);
    });

    test('answers the same append again like the first time', async (store) => {
      const stream = newStream();
      const append = () => store.append(stream, 'no stream', [event(stream, 0), event(stream, 1)]);
      const first = await append();
      expect(await append()).toEqual(first);
      expect(await idsOf(store, stream)).toHaveLength(2);
    });

    test('answers the same append again also after others followed', async (store) => {
      const stream = await begun(store, 1);
      const append = () => store.append(stream, 0, [event(stream, 1), event(stream, 2)]);
      const first = await append();
      await store.append(stream, 2, [event(stream, 3)]);
      expect(await append()).toEqual(first);
      expect(await idsOf(store, stream)).toHaveLength(4);
    });

    test('takes old and new events mixed for a conflict', async (store) => {
      const stream = await begun(store, 2);
      expect(await store.append(stream, 0, [event(stream, 1), event(stream, 2)])).toEqual({ kind: 'conflict', actual: 1 });
      expect(await store.append(stream, 'no stream', [event(stream, 0), event(stream, 1, 'other')])).toEqual({
        kind: 'conflict',
        actual: 1,
      });
      expect(await idsOf(store, stream)).toHaveLength(2);
    });

    test('lets one of many win who want the same place', async (store) => {
      const stream = newStream();
      const racers = Array.from({ length: 20 }, (_, racer) =>
        store.append(stream, 'no stream', [event(stream, 0, `racer ${String(racer)}`)]),
      );
      const results = await Promise.all(racers);
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'conflict')).toEqual(Array(19).fill({ kind: 'conflict', actual: 0 }));
      expect(await idsOf(store, stream)).toHaveLength(1);
    });

    test('judges many streams at once, each alone', async (store) => {
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
