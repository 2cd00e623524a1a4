import { expect, it } from '@jest/globals';
import { samples } from '../../test/samples/samples.ts';
import { catalogue, type Events, type EventType } from '../events.ts';
import { type StandingRow, standingView, projectStatus } from './standing.view.ts';

const sample = samples('a');
type Happened = { readonly [Type in EventType]: readonly [Type, Partial<Events[Type]>?] }[EventType];

/** The status of a project after all that. */
function statusAfter(...happened: readonly Happened[]): ReturnType<typeof projectStatus> {
  const rows = new Map<string, StandingRow>();
  happened.forEach(([type, changes], n) => {
    const meta = { actor: { kind: 'user', id: '1' }, correlationId: '', causationId: null, commandId: '', occurredAt: '' } as const;
    const place = { n, id: String(n), stream: '', revision: n, scope: 'project-a', recordedAt: '', version: catalogue[type].version };
    const event = { ...place, type, data: { ...sample[type], ...changes }, meta };
    const key = standingView.key(event);
    if (key === null) return;
    const row = standingView.evolve(rows.get(key) ?? null, event);
    if (row === null) rows.delete(key);
    else rows.set(key, row);
  });
  return projectStatus(rows.values());
}

const check = (checkId: string) => ['CheckCreated', { checkId }] as const;
const passed = (checkId: string) => ['CheckPassed', { checkId }] as const;
const failed = (checkId: string) => ['CheckFailed', { checkId }] as const;

it('is the worst of the enabled checks', () => {
  expect(statusAfter(['ProjectCreated'])).toBeNull();
  expect(statusAfter(['ProjectCreated'], check('one'), passed('one'))).toBe('ok');
  expect(statusAfter(['ProjectCreated'], check('one'), passed('one'), check('two'), failed('two'))).toBe('error');
  const off = ['CheckSwitched', { checkId: 'two', to: false }] as const;
  const on = ['CheckSwitched', { checkId: 'two', to: true }] as const;
  expect(statusAfter(['ProjectCreated'], check('one'), passed('one'), check('two'), failed('two'), off)).toBe('ok');
  expect(statusAfter(['ProjectCreated'], check('two'), off, failed('two'), on)).toBe('error');
});

it('does not hear of a check that is gone: its last run may end after it was deleted', () => {
  const gone = ['CheckDeleted', { checkId: 'one' }] as const;
  expect(statusAfter(['ProjectCreated'], check('one'), passed('one'), gone)).toBeNull();
  expect(statusAfter(['ProjectCreated'], check('one'), gone, failed('one'))).toBeNull();
  expect(statusAfter(['ProjectCreated'], check('one'), passed('one'), gone, passed('one'))).toBeNull();
  expect(statusAfter(['ProjectCreated'], check('one'), failed('one'), check('two'), passed('two'), gone, failed('one'))).toBe('ok');
});
