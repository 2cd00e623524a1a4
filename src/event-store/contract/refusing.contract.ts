import { describe, expect } from '@jest/globals';
import type { EventStore } from '../event-store.ts';
import { EventTooLarge, MAX_EVENT_BYTES } from '../limits.ts';
import { appendedAt, event, idsOf, newStream } from './steps.contract.ts';
import type { ContractTest } from './subject.contract.ts';

export function refusing(test: ContractTest): void {
  describe('what cannot be written', () => {
    const refused = async (store: EventStore, data: object, error: new (message: string) => Error): Promise<void> => {
      const stream = newStream();
      await expect(store.append(stream, 'no stream', [{ ...event(stream, 0), data }])).rejects.toThrow(error);
      expect(await idsOf(store, stream)).toEqual([]);
    };

    test('refuses an event over 60 KiB and says how large it is', async (store) => {
      await refused(store, { text: 'x'.repeat(MAX_EVENT_BYTES) }, EventTooLarge);
      await refused(store, { text: 'ü'.repeat(MAX_EVENT_BYTES / 2) }, EventTooLarge);
    });

    test('takes an event that just fits', async (store) => {
      const stream = newStream();
      const fitting = { ...event(stream, 0), data: { text: 'x'.repeat(MAX_EVENT_BYTES - 500) } };
      expect(await store.append(stream, 'no stream', [fitting])).toEqual(appendedAt(0));
    });

    test('refuses an append over 1 MiB as a whole', async (store) => {
      const stream = newStream();
      const large = (revision: number) => ({ ...event(stream, revision), data: { text: 'x'.repeat(59 * 1024) } });
      const events = Array.from({ length: 18 }, (_, revision) => large(revision));
      await expect(store.append(stream, 'no stream', events)).rejects.toThrow(EventTooLarge);
      expect(await store.append(stream, 'no stream', events.slice(0, 17))).toEqual(appendedAt(16));
    });

    test('throws at the caller what has no JSON', async (store) => {
      await refused(store, { big: 1n }, TypeError);
      const circle: { self?: object } = {};
      circle.self = circle;
      await refused(store, circle, TypeError);
      await refused(store, { toJSON: () => undefined }, TypeError);
    });

    test('throws at the caller an append of nothing', async (store) => {
      await expect(store.append(newStream(), 'no stream', [])).rejects.toThrow(RangeError);
    });

    test('throws at the caller names that JSON would have to escape, and ids that are none or stand twice', async (store) => {
      const stream = newStream();
      await expect(store.append(stream, 'no stream', [{ ...event(stream, 0), id: 'not a uuid' }])).rejects.toThrow(RangeError);
      await expect(store.append('a"b', 'no stream', [event('a"b', 0)])).rejects.toThrow(RangeError);
      await expect(store.append(stream, 'no stream', [{ ...event(stream, 0), type: 'line\nbreak' }])).rejects.toThrow(RangeError);
      await expect(store.append(stream, 'no stream', [event(stream, 0), event(stream, 0)])).rejects.toThrow(RangeError);
    });
  });
}
