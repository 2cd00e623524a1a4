import { describe, expect } from '@jest/globals';
import { Follower } from './follower.contract.ts';
import { appendedAt, begun, event, grow, newStream } from './steps.contract.ts';
import type { ContractTest } from './subject.contract.ts';

export function following(test: ContractTest): void {
  describe('following the whole store', () => {
    test('brings every event once and in order while 32 writers append', async (store) => {
      const streams = Array.from({ length: 32 }, newStream);
      const follower = await Follower.atEnd(store);
      await Promise.all(streams.map((stream) => grow(store, stream, 25)));
      await follower.until(() => streams.every((stream) => follower.of(stream).length === 25));
      for (const stream of streams) expect(follower.of(stream)).toEqual(Array.from({ length: 25 }, (_, revision) => revision));
      expect(follower.positionsGrow()).toBe(true);
      await follower.stop();
    });

    test('shows two followers the same order', async (store) => {
      const streams = Array.from({ length: 8 }, newStream);
      const live = await Follower.atEnd(store);
      const start = live.begin;
      await Promise.all(streams.map((stream) => grow(store, stream, 20)));
      const later = new Follower(store, start);
      await Promise.all(
        [live, later].map((follower) => follower.until(() => streams.every((stream) => follower.of(stream).length === 20))),
      );
      expect(later.places()).toEqual(live.places());
      await Promise.all([live.stop(), later.stop()]);
    });

    test('goes on strictly after a position, through what is there to what comes', async (store) => {
      const stream = await begun(store, 5);
      const whole = new Follower(store, null);
      await whole.until(() => whole.of(stream).length === 5);
      await whole.stop();
      const second = whole.events.find((event) => event.stream === stream && event.revision === 1);
      const rest = new Follower(store, second?.position ?? null);
      await rest.until(() => rest.of(stream).length === 3);
      await store.append(stream, 4, [event(stream, 5)]);
      await rest.until(() => rest.of(stream).length === 4);
      expect(rest.of(stream)).toEqual([2, 3, 4, 5]);
      await rest.stop();
    });

    test('knows the place of an append as a position', async (store) => {
      const stream = newStream();
      const follower = await Follower.atEnd(store);
      const result = await store.append(stream, 'no stream', [event(stream, 0)]);
      await follower.until(() => follower.of(stream).length === 1);
      expect(result).toEqual({ ...appendedAt(0), place: { position: follower.events.find((seen) => seen.stream === stream)?.position } });
      await follower.stop();
    });

    test('tells when each event was stored', async (store) => {
      const stream = newStream();
      const follower = await Follower.atEnd(store);
      await store.append(stream, 'no stream', [event(stream, 0)]);
      await follower.until(() => follower.of(stream).length === 1);
      const storedAt = Date.parse(follower.events.find((seen) => seen.stream === stream)?.storedAt ?? '');
      expect(Math.abs(storedAt - Date.now())).toBeLessThan(60_000);
      await follower.stop();
    });

    test('ends when it is aborted, also while it waits', async (store) => {
      const follower = await Follower.atEnd(store);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await follower.stop();
    });
  });
}
