import { expect, it } from '@jest/globals';
import { accessesTarget, countAccesses, recordAccess } from './access.decider.ts';

const access = { projectId: 'p', kind: 'export', day: '2026-11-20', tokenId: 't' } as const;
const counted = { ...access, count: 2, firstAt: '2026-11-20T08:00:00.000Z', lastAt: '2026-11-20T09:00:00.000Z' };
const { decider } = accessesTarget(access);

it('records the first read of a day once per kind and token, and counts it once', () => {
  let state = decider.initial;
  const take = (events: ReturnType<typeof recordAccess>): number => {
    state = events.reduce((folded, event) => decider.evolve(folded, event), state);
    return events.length;
  };
  expect(take(recordAccess(state, access))).toBe(1);
  expect(take(recordAccess(state, access))).toBe(0);
  expect(take(recordAccess(state, { ...access, kind: 'proof' }))).toBe(1);
  expect(take(recordAccess(state, { ...access, tokenId: 'other' }))).toBe(1);
  expect(take(recordAccess(state, { ...access, day: '2026-11-21' }))).toBe(1);
  expect(take(countAccesses(state, { ...counted, count: 1 }))).toBe(0);
  expect(take(countAccesses(state, counted))).toBe(1);
  expect(take(countAccesses(state, counted))).toBe(0);
});

it('keeps reads of all projects in a stream of the installation', () => {
  expect(accessesTarget({ ...access, projectId: null })).toMatchObject({ stream: 'accesses-system-2026-11', scope: 'system' });
  expect(accessesTarget(access)).toMatchObject({ stream: 'accesses-p-2026-11', scope: 'project-p' });
});
