import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { NewEvent, StreamEvent } from '../kernel/event.ts';
import { derivedId, eventId } from '../kernel/ids.ts';
import type { AppendResult, EventStore, ExpectedRevision, FollowedEvent, ReadOptions } from './event-store.ts';
import { EventTooLarge, MAX_EVENT_BYTES, StoreUnavailable } from './limits.ts';

/** A store under test, and the ways to make its life hard. A store that cannot be troubled in one of them skips that part and says why. */
export interface ContractSubject {
  readonly store: EventStore;
  /** The next append may land, but its answer never arrives at the store's client. */
  loseNextReply?(): void | Promise<void>;
  /** Cuts every connection of the store; it must come back by itself. */
  dropConnections?(): void | Promise<void>;
  close(): Promise<void>;
}

export interface Skip {
  readonly reason: string;
  readonly tests: readonly string[];
}

const DEADLINE_MS = 15_000;

/** What everybody may rely on, whichever engine it is. Streams are new in every test, so that it also runs against a server that has others. */
export function eventStoreContract(
  name: string,
  open: () => Promise<ContractSubject>,
  { skip = [] }: { skip?: readonly Skip[] } = {},
): void {
  const test = (title: string, run: () => Promise<void>): void => {
    const reason = skip.find(({ tests }) => tests.includes(title))?.reason;
    if (reason === undefined) it(title, run, 30_000);
    else it.skip(`${title} (${reason})`, run);
  };

  describe(`the event store on ${name}`, () => {
    let subject: ContractSubject;
    let store: EventStore;
    beforeAll(async () => {
      subject = await open();
      store = subject.store;
    }, 30_000);
    afterAll(() => subject.close());

    describe('append', () => {
      test('begins a stream that must not be there yet', async () => {
        const stream = newStream();
        expect(await store.append(stream, 'no stream', [event(stream, 0), event(stream, 1)])).toEqual(appendedAt(1));
        expect(await idsOf(store, stream)).toEqual([event(stream, 0).id, event(stream, 1).id]);
      });

      test('goes on from the exact revision', async () => {
        const stream = await begun(store, 1);
        expect(await store.append(stream, 0, [event(stream, 1)])).toEqual(appendedAt(1));
        expect(await store.append(stream, 1, [event(stream, 2), event(stream, 3)])).toEqual(appendedAt(3));
      });

      test('answers a conflict with the revision that is there', async () => {
        const stream = await begun(store, 2);
        const other = (revision: number) => event(stream, revision, 'other');
        expect(await store.append(stream, 'no stream', [other(0)])).toEqual({ kind: 'conflict', actual: 1 });
        expect(await store.append(stream, 0, [other(1)])).toEqual({ kind: 'conflict', actual: 1 });
        expect(await store.append(stream, 7, [other(8)])).toEqual({ kind: 'conflict', actual: 1 });
        expect(await store.append(newStream(), 0, [other(1)])).toEqual({ kind: 'conflict', actual: 'no stream' });
        expect(await idsOf(store, stream)).toEqual([event(stream, 0).id, event(stream, 1).id]);
      });

      test('answers the same append again like the first time', async () => {
        const stream = newStream();
        const append = () => store.append(stream, 'no stream', [event(stream, 0), event(stream, 1)]);
        const first = await append();
        expect(await append()).toEqual(first);
        expect(await idsOf(store, stream)).toHaveLength(2);
      });

      test('answers the same append again also after others followed', async () => {
        const stream = await begun(store, 1);
        const append = () => store.append(stream, 0, [event(stream, 1), event(stream, 2)]);
        const first = await append();
        await store.append(stream, 2, [event(stream, 3)]);
        expect(await append()).toEqual(first);
        expect(await idsOf(store, stream)).toHaveLength(4);
      });

      test('takes old and new events mixed for a conflict', async () => {
        const stream = await begun(store, 2);
        expect(await store.append(stream, 0, [event(stream, 1), event(stream, 2)])).toEqual({ kind: 'conflict', actual: 1 });
        expect(await store.append(stream, 'no stream', [event(stream, 0), event(stream, 1, 'other')])).toEqual({
          kind: 'conflict',
          actual: 1,
        });
        expect(await idsOf(store, stream)).toHaveLength(2);
      });

      test('lets one of many win who want the same place', async () => {
        const stream = newStream();
        const racers = Array.from({ length: 20 }, (_, racer) =>
          store.append(stream, 'no stream', [event(stream, 0, `racer ${String(racer)}`)]),
        );
        const results = await Promise.all(racers);
        expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
        expect(results.filter(({ kind }) => kind === 'conflict')).toEqual(Array(19).fill({ kind: 'conflict', actual: 0 }));
        expect(await idsOf(store, stream)).toHaveLength(1);
      });

      test('judges many streams at once, each alone', async () => {
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

    describe('what cannot be written', () => {
      const refused = async (data: object, error: new (message: string) => Error): Promise<void> => {
        const stream = newStream();
        await expect(store.append(stream, 'no stream', [{ ...event(stream, 0), data }])).rejects.toThrow(error);
        expect(await idsOf(store, stream)).toEqual([]);
      };

      test('refuses an event over 60 KiB and says how large it is', async () => {
        await refused({ text: 'x'.repeat(MAX_EVENT_BYTES) }, EventTooLarge);
        await refused({ text: 'ü'.repeat(MAX_EVENT_BYTES / 2) }, EventTooLarge);
      });

      test('takes an event that just fits', async () => {
        const stream = newStream();
        const fitting = { ...event(stream, 0), data: { text: 'x'.repeat(MAX_EVENT_BYTES - 500) } };
        expect(await store.append(stream, 'no stream', [fitting])).toEqual(appendedAt(0));
      });

      test('refuses an append over 1 MiB as a whole', async () => {
        const stream = newStream();
        const large = (revision: number) => ({ ...event(stream, revision), data: { text: 'x'.repeat(59 * 1024) } });
        const events = Array.from({ length: 18 }, (_, revision) => large(revision));
        await expect(store.append(stream, 'no stream', events)).rejects.toThrow(EventTooLarge);
        expect(await store.append(stream, 'no stream', events.slice(0, 17))).toEqual(appendedAt(16));
      });

      test('throws at the caller what has no JSON', async () => {
        await refused({ big: 1n }, TypeError);
        const circle: { self?: object } = {};
        circle.self = circle;
        await refused(circle, TypeError);
        await refused({ toJSON: () => undefined }, TypeError);
      });

      test('throws at the caller an append of nothing', async () => {
        await expect(store.append(newStream(), 'no stream', [])).rejects.toThrow(RangeError);
      });

      test('throws at the caller names that JSON would have to escape, and ids that are none or stand twice', async () => {
        const stream = newStream();
        await expect(store.append(stream, 'no stream', [{ ...event(stream, 0), id: 'not a uuid' }])).rejects.toThrow(RangeError);
        await expect(store.append('a"b', 'no stream', [event('a"b', 0)])).rejects.toThrow(RangeError);
        await expect(store.append(stream, 'no stream', [{ ...event(stream, 0), type: 'line\nbreak' }])).rejects.toThrow(RangeError);
        await expect(store.append(stream, 'no stream', [event(stream, 0), event(stream, 0)])).rejects.toThrow(RangeError);
      });
    });

    describe('reading a stream', () => {
      test('finds nothing where no stream is', async () => {
        expect(await read(store, newStream())).toEqual([]);
        expect(await read(store, newStream(), { direction: 'backward' })).toEqual([]);
      });

      test('gives back exactly what was written', async () => {
        const stream = newStream();
        const awkward = { text: 'ä€😀\u0000\u2028\n"\\', lone: '\ud800', number: 1e21, deep: [{ a: null }, []] };
        const written = { ...event(stream, 0), version: 3, data: awkward };
        await store.append(stream, 'no stream', [written]);
        expect(await read(store, stream)).toEqual([{ ...written, stream, revision: 0 }]);
      });

      test('goes forward and backward from any place', async () => {
        const stream = await begun(store, 7);
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

      test('reads a stream of many pages whole', async () => {
        const stream = await begun(store, 1_300);
        const all = (options: ReadOptions) => read(store, stream, options);
        expect((await all({})).map(({ revision }) => revision)).toEqual(Array.from({ length: 1_300 }, (_, revision) => revision));
        expect((await all({ direction: 'backward' })).map(({ revision }) => revision).at(-1)).toBe(0);
        expect(await all({ from: 100, limit: 1_001 })).toHaveLength(1_001);
      });

      test('may be left in the middle', async () => {
        const stream = await begun(store, 3);
        for await (const { revision } of store.readStream(stream)) if (revision === 1) break;
        expect(await idsOf(store, stream)).toHaveLength(3);
      });
    });

    describe('following the whole store', () => {
      test('brings every event once and in order while 32 writers append', async () => {
        const streams = Array.from({ length: 32 }, newStream);
        const follower = await Follower.atEnd(store);
        await Promise.all(streams.map((stream) => grow(store, stream, 25)));
        await follower.until(() => streams.every((stream) => follower.of(stream).length === 25));
        for (const stream of streams) expect(follower.of(stream)).toEqual(Array.from({ length: 25 }, (_, revision) => revision));
        expect(follower.positionsGrow()).toBe(true);
        await follower.stop();
      });

      test('shows two followers the same order', async () => {
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

      test('goes on strictly after a position, through what is there to what comes', async () => {
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

      test('knows the place of an append as a position', async () => {
        const stream = newStream();
        const follower = await Follower.atEnd(store);
        const result = await store.append(stream, 'no stream', [event(stream, 0)]);
        await follower.until(() => follower.of(stream).length === 1);
        expect(result).toEqual({ ...appendedAt(0), place: { position: follower.events.find((seen) => seen.stream === stream)?.position } });
        await follower.stop();
      });

      test('tells when each event was stored', async () => {
        const stream = newStream();
        const follower = await Follower.atEnd(store);
        await store.append(stream, 'no stream', [event(stream, 0)]);
        await follower.until(() => follower.of(stream).length === 1);
        const storedAt = Date.parse(follower.events.find((seen) => seen.stream === stream)?.storedAt ?? '');
        expect(Math.abs(storedAt - Date.now())).toBeLessThan(60_000);
        await follower.stop();
      });

      test('ends when it is aborted, also while it waits', async () => {
        const follower = await Follower.atEnd(store);
        await new Promise((resolve) => setTimeout(resolve, 50));
        await follower.stop();
      });
    });

    describe('trouble on the way', () => {
      test('doubles nothing when answers get lost and the append is repeated', async () => {
        const stream = await begun(store, 1);
        for (let revision = 1; revision <= 5; revision++) {
          await required(subject.loseNextReply).call(subject);
          expect(await untilAnswered(store, stream, revision - 1, [event(stream, revision)])).toEqual(appendedAt(revision));
        }
        expect(await idsOf(store, stream)).toEqual([0, 1, 2, 3, 4, 5].map((revision) => event(stream, revision).id));
      });

      test('doubles and loses nothing when connections drop under many writers', async () => {
        const streams = Array.from({ length: 16 }, newStream);
        let writing = true;
        const writers = Promise.all(streams.map((stream) => grow(store, stream, 30))).finally(() => (writing = false));
        for (let round = 0; round < 10 && writing; round++) {
          await new Promise((resolve) => setTimeout(resolve, 15));
          await required(subject.dropConnections).call(subject);
        }
        await writers;
        for (const stream of streams) expect(await idsOf(store, stream)).toEqual(Array.from({ length: 30 }, (_, r) => event(stream, r).id));
      });

      test('follows on after its connection dropped, without a gap or a repeat', async () => {
        const stream = await begun(store, 1);
        const follower = await Follower.atEnd(store);
        for (let revision = 1; revision <= 6; revision++) {
          await required(subject.dropConnections).call(subject);
          await untilAnswered(store, stream, revision - 1, [event(stream, revision)]);
          await follower.until(() => follower.of(stream).length === revision);
        }
        expect(follower.of(stream)).toEqual([1, 2, 3, 4, 5, 6]);
        await follower.stop();
      });
    });

    test('says that it is there', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}

const newStream = (): string => `contract-${randomUUID()}`;

/** The same stream, revision and writer always make the same event. */
function event(stream: string, revision: number, writer = 'writer'): NewEvent {
  const commandId = derivedId('contract', stream, writer);
  return {
    id: eventId(commandId, stream, revision),
    type: 'SomethingHappened',
    version: 1,
    scope: 'system',
    data: { revision, writer },
    meta: {
      actor: { kind: 'cli', id: 'contract' },
      correlationId: commandId,
      causationId: null,
      commandId,
      occurredAt: '2026-11-21T12:00:00.000Z',
    },
  };
}

const appendedAt = (revision: number): object => ({ kind: 'appended', revision, place: { position: expect.any(String) } });

async function begun(store: EventStore, length: number): Promise<string> {
  const stream = newStream();
  const events = Array.from({ length }, (_, revision) => event(stream, revision));
  await untilAnswered(store, stream, 'no stream', events);
  return stream;
}

async function grow(store: EventStore, stream: string, length: number): Promise<void> {
  for (let revision = 0; revision < length; revision++) {
    const result = await untilAnswered(store, stream, revision === 0 ? 'no stream' : revision - 1, [event(stream, revision)]);
    expect(result).toEqual(appendedAt(revision));
  }
}

/** What every caller does about an unknown outcome. */
async function untilAnswered(
  store: EventStore,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<AppendResult> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await store.append(stream, expected, events);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function read(store: EventStore, stream: string, options?: ReadOptions): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of store.readStream(stream, options)) events.push(event);
  return events;
}

const idsOf = async (store: EventStore, stream: string): Promise<string[]> => (await read(store, stream)).map(({ id }) => id);

function required<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the subject has no way to do this: give it one, or skip the test and say why');
  return part;
}

/** Positions are one number or several; an engine may pad them, none may repeat or step back. */
function isAfter(position: string, earlier: string): boolean {
  const before = earlier.split(':').map(BigInt);
  const differing = position
    .split(':')
    .map(BigInt)
    .map((part, index) => part - (before[index] ?? 0n))
    .find((difference) => difference !== 0n);
  return differing !== undefined && differing > 0n;
}

/** Collects what the store tells, from a position on. */
class Follower {
  readonly events: FollowedEvent[] = [];
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    store: EventStore,
    readonly begin: string | null,
  ) {
    this.running = this.run(store);
    this.running.catch(() => undefined);
  }

  /** Begins after everything that is there now: a marker tells when that is. */
  static async atEnd(store: EventStore): Promise<Follower> {
    const marker = await begun(store, 1);
    const seeking = new Follower(store, null);
    await seeking.until(() => seeking.of(marker).length === 1);
    await seeking.stop();
    return new Follower(store, seeking.events.find(({ stream }) => stream === marker)?.position ?? null);
  }

  of(stream: string): number[] {
    return this.events.filter((event) => event.stream === stream).map(({ revision }) => revision);
  }

  places(): string[] {
    return this.events.map(({ stream, revision, position }) => `${position} ${stream} ${String(revision)}`);
  }

  positionsGrow(): boolean {
    return this.events.every(({ position }, index) => index === 0 || isAfter(position, this.events[index - 1]?.position ?? position));
  }

  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error(`the follower saw ${String(this.events.length)} events and not those that were awaited`);
      await Promise.race([this.running, new Promise((resolve) => setTimeout(resolve, 5))]);
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(store: EventStore): Promise<void> {
    for await (const batch of store.follow(this.begin, this.stopping.signal)) this.events.push(...batch);
  }
}
