import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { samples } from '../../../test/samples/samples.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { KeyParked, type ViewsAt } from '../../platform/read-models/views/views.ts';
import { existingIn } from './observation-maintenance.ts';

const PROJECT = 'aaaaaaaaaaaaaaaaaaaaaaaa';

it('treats ids missing from the read models as deleted, but not those that are parked', async () => {
  const store = new MemoryEventStore({ now: () => Date.parse('2026-03-01T10:00:00Z') });
  const all = samples(PROJECT);
  const append = async (type: 'ProjectCreated' | 'CheckCreated' | 'CheckDeleted'): Promise<void> => {
    const meta = { actor: { kind: 'checker', id: 'c' }, correlationId: type, causationId: null, commandId: type, occurredAt: '' } as const;
    await store.append(type, 'no stream', [{ id: randomUUID(), type, version: 1, scope: `project-${PROJECT}`, meta, data: all[type] }]);
  };
  await append('ProjectCreated');
  await append('CheckCreated');
  const views = new MemoryViews(() => store.events);
  const { checks, projects } = existingIn(views);
  const [checkId, other] = [all.CheckCreated.checkId, 'b'.repeat(24)];
  expect(await checks([checkId, other])).toEqual(new Set([checkId]));
  expect(await projects([PROJECT, other])).toEqual(new Set([PROJECT]));
  await append('CheckDeleted');
  expect(await checks([checkId, other])).toEqual(new Set());
  const parked = { now: () => ({ many: () => Promise.reject(new KeyParked('check', checkId)) }) } as unknown as ViewsAt;
  expect(await existingIn(parked).checks([checkId])).toBeNull();
});
