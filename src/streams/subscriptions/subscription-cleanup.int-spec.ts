import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { samples } from '../../../test/samples/samples.ts';
import type { Events, EventType } from '../../events.ts';
import { serviceNumber } from '../../accounts/rights/roles.ts';
import { SubscriptionCleanup } from './subscription-cleanup.ts';
import { stateFrom } from './subscription-state.ts';
import { SubscriptionStore } from './subscription-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const store = new MemoryEventStore();
const views = new MemoryViews(() => store.events);

async function append<Type extends EventType>(type: Type, scope: string, changes: Partial<Events[Type]>): Promise<void> {
  const id = randomUUID();
  const meta = {
    actor: { kind: 'user', id: '1' },
    correlationId: id,
    causationId: null,
    commandId: id,
    occurredAt: '2026-03-01T10:00:00Z',
  } as const;
  await store.append(id, 'no stream', [{ id, type, version: 1, scope, meta, data: { ...samples('')[type], ...changes } }]);
}

it('deletes the subscriptions of service accounts that were deleted, or whose project was', async () => {
  const subscriptions = new SubscriptionStore(database.pool);
  const cleanup = new SubscriptionCleanup(subscriptions, views);
  const settings = { filter: { types: [], scopes: null, reach: 'projects' }, partition: 'none', maxInFlight: 1, ackSeconds: 1 } as const;
  const [kept, deleted, homeless, system] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(24)) as [string, string, string, string];
  for (const [id, projectId] of [
    [kept, 'p'],
    [deleted, 'p'],
    [homeless, 'q'],
    [system, null],
  ] as const) {
    await append('ServiceAccountCreated', projectId === null ? 'system' : `project-${projectId}`, { serviceAccountId: id });
    await subscriptions.create({ userId: serviceNumber(id), name: 'x' }, { settings, state: stateFrom(-1), projectId }, 9);
  }
  await subscriptions.create({ userId: 7, name: 'x' }, { settings, state: stateFrom(-1) }, 9);
  const owners = async (): Promise<readonly number[]> =>
    (await database.pool.query<{ user_id: number }>('SELECT user_id FROM subscription ORDER BY user_id DESC')).rows.map(
      (row) => row.user_id,
    );
  await cleanup.deleteOfEndedServices();
  expect(await owners()).toHaveLength(5);
  await append('ServiceAccountDeleted', 'project-p', { serviceAccountId: deleted });
  await append('ProjectDeleted', 'project-q', {});
  await cleanup.deleteOfEndedServices();
  expect(await owners()).toEqual([7, ...[kept, system].map(serviceNumber).toSorted((left, right) => right - left)]);
  await append('ServiceAccountDeleted', 'system', { serviceAccountId: system });
  await cleanup.deleteOfEndedServices();
  expect(await owners()).toEqual([7, serviceNumber(kept)]);
});
