import { expect, it } from '@jest/globals';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { linkCheck } from '../../projects/checks/preset.ts';
import { shardOf } from '../../platform/observations/shards.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import { WatchedProjects } from '../projects/watched-projects.ts';
import { Scheduler } from './scheduler.ts';

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
