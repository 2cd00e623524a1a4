import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventStore } from '../event-store/event-store.ts';
import type { LogEvent, NewEvent } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { Log } from './log.ts';

export interface LogSubject {
  readonly store: EventStore;
  readonly log: Log;
  close(): Promise<void>;
}

const STREAMS = ['project-a', 'verdict-a', 'project-b'] as const;
const scopeOf = (stream: string): string => `project-${stream.slice(-1)}`;

/** The behaviour that readers of the log may rely on with every engine. */
export function logContract(name: string, open: () => Promise<LogSubject>): void {
  describe(`the log on ${name}`, () => {
    let subject: LogSubject;
    let log: Log;
    const lengths = new Map<string, number>();
    beforeAll(async () => {
      subject = await open();
      log = subject.log;
    });
    afterAll(() => subject.close());

    const append = async (stream: string): Promise<string> => {
      const length = lengths.get(stream) ?? 0;
      lengths.set(stream, length + 1);
      const result = await subject.store.append(stream, length === 0 ? 'no stream' : length - 1, [event(stream, length)]);
      if (result.kind === 'conflict') throw new Error(`unexpected conflict in ${stream}`);
      return result.place.position;
    };
    const numbers = (events: readonly LogEvent[]): number[] => events.map(({ n }) => n);

    it('is empty before the first append', async () => {
      expect(await log.head()).toBe(-1);
      expect(await log.read({ after: -1, limit: 10 })).toEqual([]);
      expect(await log.at('2100-01-01T00:00:00Z')).toBe(-1);
      expect(await log.waitBeyond(-1, 10)).toBe(false);
    });

    it('wakes a reader that waits beyond its end', async () => {
      const waiting = log.waitBeyond(-1, 10_000);
      const position = await append('project-a');
      expect(await waiting).toBe(true);
      expect(await log.locate(position, Date.now() + 1_000)).toBe(0);
      expect(await log.head()).toBe(0);
    });

    it('holds each event as written, numbered without gaps', async () => {
      let last = '';
      for (let round = 0; round < 4; round++) for (const stream of STREAMS) last = await append(stream);
      await log.locate(last, Date.now() + 5_000);
      const all = await log.read({ after: -1, limit: 100 });
      expect(numbers(all)).toEqual(Array.from({ length: 13 }, (_, n) => n));
      expect(all[1]).toEqual({ ...event('project-a', 1), n: 1, stream: 'project-a', revision: 1, recordedAt: expect.any(String) });
    });

    it('reads a range and a scope', async () => {
      expect(numbers(await log.read({ after: 2, until: 5, limit: 100 }))).toEqual([3, 4, 5]);
      expect(numbers(await log.read({ after: 2, limit: 2 }))).toEqual([3, 4]);
      const scoped = await log.read({ after: 0, scope: 'project-a', limit: 3 });
      expect(numbers(scoped)).toEqual([1, 2, 4]);
      expect(scoped.map(({ stream }) => stream)).toEqual(['project-a', 'verdict-a', 'project-a']);
      expect(numbers(await log.read({ after: 4, until: 7, scope: 'project-b', limit: 9 }))).toEqual([6]);
    });

    it('reads events of some types within a scope', async () => {
      const query = { after: 0, scope: 'project-a', limit: 3 };
      expect(numbers(await log.read({ ...query, types: ['SomethingHappened', 'NothingHappened'] }))).toEqual([1, 2, 4]);
      expect(numbers(await log.read({ ...query, types: ['SomethingHappened'], until: 2, bytes: 1_000 }))).toEqual([1, 2]);
      expect(await log.read({ ...query, types: ['NothingHappened'] })).toEqual([]);
    });

    it('finds the last event at or before an instant', async () => {
      const all = await log.read({ after: -1, limit: 100 });
      const times = all.map(({ recordedAt }) => recordedAt);
      expect(times).toEqual([...new Set(times)].sort());
      expect(times.every((time) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(time))).toBe(true);
      for (const { n, recordedAt } of all) expect(await log.at(recordedAt)).toBe(n);
      expect(await log.at('2000-01-01T00:00:00+02:00')).toBe(-1);
      expect(await log.at('0000-12-31T23:59:59.999999Z')).toBe(-1);
      expect(await log.at('2100-01-01T00:00:00Z')).toBe(12);
    });

    it('delivers pages from any position, then live, until aborted', async () => {
      const stop = new AbortController();
      const seen: number[] = [];
      const sizes: number[] = [];
      for await (const page of log.follow(1, stop.signal, 4)) {
        seen.push(...numbers(page));
        sizes.push(page.length);
        if (seen.at(-1) === 12) void append('project-b');
        if (seen.at(-1) === 13) stop.abort();
      }
      expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => index + 2));
      expect(sizes).toEqual([4, 4, 3, 1]);
    });

    it('delivers every event once and in order while many writers append', async () => {
      const stop = new AbortController();
      const end = (await log.head()) + 300;
      const writers = Promise.all(
        Array.from({ length: 10 }, async (_, writer) => {
          for (let count = 0; count < 30; count++) await append(`verdict-${String(writer)}`);
        }),
      );
      const seen: number[] = [];
      for await (const page of log.follow(-1, stop.signal, 7)) {
        seen.push(...numbers(page));
        if (seen.length > end) stop.abort();
      }
      await writers;
      expect(seen).toEqual(Array.from({ length: end + 1 }, (_, n) => n));
    });
  });
}

function event(stream: string, revision: number): NewEvent {
  const id = derivedId(stream, revision);
  return {
    id,
    type: 'SomethingHappened',
    version: 1,
    scope: scopeOf(stream),
    data: { revision, text: 'ä"\\\n\u0000' },
    meta: { actor: { kind: 'cli', id: 'x' }, correlationId: id, causationId: null, commandId: id, occurredAt: '2026-11-21T12:00:00.000Z' },
  };
}
