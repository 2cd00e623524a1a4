import { expect, it } from '@jest/globals';
import { MemoryViews } from '../../test/support/memory-views.ts';
import { projectSettings } from '../../test/support/project-settings.ts';
import type { LogEvent } from '../kernel/event.ts';
import type { Views } from '../platform/read-models/views/views.ts';
import { PastProjectsReader } from './past-projects.reader.ts';

const OWNER = 7;
const idOf = (index: number): string => index.toString(16).padStart(24, '0');

const eventOf = (n: number, type: string, projectId: string, data: object): LogEvent => ({
  ...{ n, id: String(n), stream: `project-${projectId}`, revision: 0, type, version: 1, scope: `project-${projectId}` },
  recordedAt: '2026-01-01T00:00:00.000000Z',
  data,
  meta: {
    ...{ actor: { kind: 'user', id: '7' }, correlationId: 'c', causationId: null, commandId: 'c' },
    occurredAt: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
  },
});
const created = (index: number): LogEvent =>
  eventOf(index, 'ProjectCreated', idOf(index), {
    ...{ projectId: idOf(index), payerId: OWNER, apiKey: { subject: '', sealed: '' }, preset: false },
    settings: { ...projectSettings, title: `Title ${String(index)}` },
  });

/** Pages of so many projects as of the creation of the one at `until`, and how many were folded for each. */
function world(projects: number, until: number) {
  const events = Array.from({ length: projects }, (_, index) => created(index));
  const today = new MemoryViews(() => events);
  const then = today.asOf(until);
  let folded = 0;
  const counted = {
    get: (...given: Parameters<Views['get']>) => {
      folded++;
      return then.get(...given);
    },
  } as unknown as Views;
  const page = async (limit: number, more: object = {}) => {
    folded = 0;
    const filter = { memberId: OWNER, search: null, after: null, limit, ...more };
    const { projects: found, end } = await new PastProjectsReader().page(filter, today, counted);
    return { found: found.map(({ id }) => id), end, folded };
  };
  return page;
}

it('folds one project more than a page holds, which shows whether another follows', async () => {
  const page = world(30, 19);
  expect(await page(1)).toEqual({ found: [idOf(0)], end: { key: idOf(0), value: null }, folded: 2 });
  expect((await page(5)).folded).toBe(6);
  // The projects that were created later are not announced by a cursor.
  expect(await page(20)).toEqual({ found: Array.from({ length: 20 }, (_, index) => idOf(index)), end: null, folded: expect.any(Number) });
});

it('finds by the values of then, also in the order of titles', async () => {
  const page = world(30, 19);
  expect(await page(3, { search: 'title 1', order: { by: 'title', direction: 'desc' } })).toMatchObject({
    found: [19, 18, 17].map(idOf),
    end: { key: idOf(17), value: 'title 17' },
  });
  expect((await page(100, { search: 'title 25' })).found).toEqual([]);
});
