import { expect, it } from '@jest/globals';
import type { NewEvent } from '../../../src/kernel/event.ts';
import { eventStoreContract } from '../../../src/platform/event-store/event-store.contract.ts';
import type { AppendResult, ExpectedRevision } from '../../../src/platform/event-store/event-store.ts';
import { StoreUnavailable } from '../../../src/kernel/errors.ts';
import { MemoryEventStore } from './memory-event-store.ts';

/** Commits the append but loses its answer, once each time `losing` is set. */
class ForgetfulStore extends MemoryEventStore {
  losing = false;

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    const result = await super.append(stream, expected, events);
    if (!this.losing) return result;
    this.losing = false;
    throw new StoreUnavailable('the answer was lost');
  }
}

eventStoreContract(
  'memory',
  () => {
    const store = new ForgetfulStore();
    return Promise.resolve({ store, loseNextReply: () => void (store.losing = true), close: () => store.close() });
  },
  {
    skip: [
      {
        reason: 'memory has no connections',
        tests: [
          'neither loses nor duplicates an event when connections drop under many writers',
          'resumes a subscription after its connection dropped, without gap or duplicate',
        ],
      },
    ],
  },
);

it('records strictly growing times even when the clock stops or is set back', async () => {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const store = new MemoryEventStore({ now: () => now });
  const meta = { actor: { kind: 'cli', id: 'x' }, correlationId: 'c', causationId: null, commandId: 'c', occurredAt: '' } as const;
  const event = (index: number): NewEvent => ({
    id: `00000000-0000-4000-8000-00000000000${String(index)}`,
    type: 'T',
    version: 1,
    scope: 'system',
    data: {},
    meta,
  });
  await store.append('s', 'no stream', [event(0), event(1)]);
  now -= 5_000;
  await store.append('s', 1, [event(2)]);
  expect(store.events.map(({ recordedAt }) => recordedAt)).toEqual([
    '2026-11-21T12:00:00.000000Z',
    '2026-11-21T12:00:00.000001Z',
    '2026-11-21T12:00:00.000002Z',
  ]);
});
