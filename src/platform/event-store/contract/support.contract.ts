import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { NewEvent, StreamEvent } from '../../../kernel/event.ts';
import { derivedId, eventId } from '../../../kernel/ids.ts';
import type { AppendResult, EventStore, ExpectedRevision, FollowedEvent, ReadAfter, ReadOptions } from '../event-store.ts';
import { StoreUnavailable } from '../../../kernel/errors.ts';

export const DEADLINE_MS = 120_000;

export const newStream = (): string => `contract-${randomUUID()}`;

/** Deterministic: the same stream, revision and writer give the same event. */
export function event(stream: string, revision: number, writer = 'writer'): NewEvent {
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

export const appendedAt = (revision: number): object => ({ kind: 'appended', revision, place: { position: expect.any(String) } });

export async function streamOf(store: EventStore, length: number): Promise<string> {
  const stream = newStream();
  const events = Array.from({ length }, (_, revision) => event(stream, revision));
  await appendWithRetry(store, stream, 'no stream', events);
  return stream;
}

export async function appendOneByOne(store: EventStore, stream: string, length: number): Promise<void> {
  for (let revision = 0; revision < length; revision++) {
    const result = await appendWithRetry(store, stream, revision === 0 ? 'no stream' : revision - 1, [event(stream, revision)]);
    expect(result).toEqual(appendedAt(revision));
  }
}

/** Retries the identical append while its outcome is unknown, as every caller must. */
export async function appendWithRetry(
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

export async function read(store: EventStore, stream: string, options?: ReadOptions | ReadAfter): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of store.readStream(stream, options)) events.push(event);
  return events;
}

export const idsOf = async (store: EventStore, stream: string): Promise<string[]> => (await read(store, stream)).map(({ id }) => id);

export function required<Part>(part: Part | undefined): Part {
  if (part === undefined)
    throw new Error('the store under test cannot inject this fault: add it to the subject, or skip the test with a reason');
  return part;
}

/** A store under test with its fault injection; a store without one of the faults skips those tests with a reason. */
export interface ContractSubject {
  readonly store: EventStore;
  /** The next append commits, but its answer never reaches the client. */
  loseNextReply?(): void | Promise<void>;
  /** Cuts every connection; the store must reconnect by itself. */
  dropConnections?(): void | Promise<void>;
  close(): Promise<void>;
}

export type ContractTest = (title: string, run: (store: EventStore, subject: ContractSubject) => Promise<void>) => void;

/** A position is one number or several; engines may pad them, and they must strictly grow. */
function isAfter(position: string, earlier: string): boolean {
  const before = earlier.split(':').map(BigInt);
  const differing = position
    .split(':')
    .map(BigInt)
    .map((part, index) => part - (before[index] ?? 0n))
    .find((difference) => difference !== 0n);
  return differing !== undefined && differing > 0n;
}

/** Collects the events of a subscription from a position on. */
export class TestSubscription {
  readonly events: FollowedEvent[] = [];
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    store: EventStore,
    readonly start: string | null,
  ) {
    this.running = this.run(store);
    this.running.catch(() => undefined);
  }

  /** Starts after the current end of the store, which a marker event finds. */
  static async atEnd(store: EventStore): Promise<TestSubscription> {
    const marker = await streamOf(store, 1);
    const seeking = new TestSubscription(store, null);
    await seeking.until(() => seeking.revisionsOf(marker).length === 1);
    await seeking.stop();
    return new TestSubscription(store, seeking.events.find(({ stream }) => stream === marker)?.position ?? null);
  }

  revisionsOf(stream: string): number[] {
    return this.events.filter((event) => event.stream === stream).map(({ revision }) => revision);
  }

  order(): string[] {
    return this.events.map(({ stream, revision, position }) => `${position} ${stream} ${String(revision)}`);
  }

  positionsGrow(): boolean {
    return this.events.every(({ position }, index) => index === 0 || isAfter(position, this.events[index - 1]?.position ?? position));
  }

  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    while (!condition()) {
      if (Date.now() > deadline)
        throw new Error(`the expected events did not arrive; the subscription delivered ${String(this.events.length)} others`);
      await Promise.race([this.running, new Promise((resolve) => setTimeout(resolve, 5))]);
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(store: EventStore): Promise<void> {
    for await (const batch of store.follow(this.start, this.stopping.signal)) this.events.push(...batch);
  }
}
