import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { NewEvent, StreamEvent } from '../../kernel/event.ts';
import { derivedId, eventId } from '../../kernel/ids.ts';
import type { AppendResult, EventStore, ExpectedRevision, ReadOptions } from '../event-store.ts';
import { StoreUnavailable } from '../../kernel/errors.ts';

export const DEADLINE_MS = 15_000;

export const newStream = (): string => `contract-${randomUUID()}`;

/** The same stream, revision and writer always make the same event. */
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

export async function begun(store: EventStore, length: number): Promise<string> {
  const stream = newStream();
  const events = Array.from({ length }, (_, revision) => event(stream, revision));
  await untilAnswered(store, stream, 'no stream', events);
  return stream;
}

export async function grow(store: EventStore, stream: string, length: number): Promise<void> {
  for (let revision = 0; revision < length; revision++) {
    const result = await untilAnswered(store, stream, revision === 0 ? 'no stream' : revision - 1, [event(stream, revision)]);
    expect(result).toEqual(appendedAt(revision));
  }
}

/** What every caller does about an unknown outcome. */
export async function untilAnswered(
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

export async function read(store: EventStore, stream: string, options?: ReadOptions): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of store.readStream(stream, options)) events.push(event);
  return events;
}

export const idsOf = async (store: EventStore, stream: string): Promise<string[]> => (await read(store, stream)).map(({ id }) => id);

export function required<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the subject has no way to do this: give it one, or skip the test and say why');
  return part;
}
