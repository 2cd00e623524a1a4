import { expect, it } from '@jest/globals';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { linkCheck } from '../../projects/checks/preset.ts';
import { shardOf } from '../../platform/observations/shards.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import { WatchedProjects } from '../projects/watched-projects.ts';
import { Scheduler } from './scheduler.ts';
import type { TurnKey } from './turn.ts';

const [P, Q] = ['00'.repeat(12), 'ff'.repeat(12)] as const;

// Casts: what the scheduler reads of a row.
const project = (id: string): ProjectRow => ({ id, settings: { ...projectSettings, location: 'eu' } }) as ProjectRow;
const check = (id: string, projectId: string, enabled: boolean): CheckRow =>
  ({ id, projectId, settings: { ...linkCheck('Page', '/'), enabled } }) as CheckRow;

it('counts the enabled checks of the projects in its shards', () => {
  const projects = new WatchedProjects();
  const scheduler = new Scheduler(projects, []);
  for (const id of [P, Q]) projects.putProject(project(id));
  projects.putCheck(check('p1', P, true));
  projects.putCheck(check('p2', P, false));
  projects.putCheck(check('q1', Q, true));
  scheduler.projectChanged(P, 0);
  expect(scheduler.watchedChecks).toBe(0);
  scheduler.shardTaken(shardOf('eu', P), [P], 0);
  scheduler.shardTaken(shardOf('eu', Q), [Q], 0);
  expect(scheduler.watchedChecks).toBe(2);
  projects.putCheck(check('p2', P, true));
  scheduler.projectChanged(P, 0);
  expect(scheduler.watchedChecks).toBe(3);
  projects.remove(P);
  scheduler.projectChanged(P, 0);
  expect(scheduler.watchedChecks).toBe(1);
  scheduler.shardLost(shardOf('eu', Q), 0);
  expect(scheduler.watchedChecks).toBe(0);
});

it('makes an extra turn that is asked for during a turn of its key once that has ended, a recurring one not', () => {
  const redirect: TurnKey = { kind: 'redirect', projectId: P, subjectId: null };
  const projects = new WatchedProjects();
  projects.putProject(project(P));
  const scheduler = new Scheduler(projects, [() => [{ turn: redirect, periodMs: 3_600_000, phaseMs: 0 }]]);
  scheduler.shardTaken(shardOf('eu', P), [P], 1);
  const begun = (now: number) => scheduler.takeDue(now).map((turn) => scheduler.begin(turn));
  expect(begun(3_600_000)).toEqual([true]);
  // The watch is switched off and on again: the settings are those of before, and the look under way has read those of before.
  scheduler.scheduleOnce(redirect, 3_602_000);
  scheduler.scheduleOnce(redirect, 3_601_000);
  expect(begun(3_604_000)).toEqual([]);
  scheduler.end(redirect);
  expect(begun(3_608_000)).toEqual([true]);
  expect(begun(7_200_000)).toEqual([false]);
  scheduler.end(redirect);
  expect(begun(7_300_000)).toEqual([]);
});
