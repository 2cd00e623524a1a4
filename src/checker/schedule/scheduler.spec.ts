import { expect, it } from '@jest/globals';
import { projectSettings } from '../../../test/support/project-settings.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { WatchedProjects } from '../projects/watched-projects.ts';
import { Scheduler } from './scheduler.ts';

// Casts: what the scheduler reads of a row.
const project = (id: string): ProjectRow => ({ id, settings: { ...projectSettings, location: 'eu' } }) as ProjectRow;
const check = (id: string, projectId: string, enabled: boolean): CheckRow => ({ id, projectId, settings: { enabled } }) as CheckRow;

it('counts the enabled checks of the projects in its shards', () => {
  const projects = new WatchedProjects();
  const scheduler = new Scheduler(projects, []);
  for (const id of ['p', 'q']) projects.putProject(project(id));
  projects.putCheck(check('p1', 'p', true));
  projects.putCheck(check('p2', 'p', false));
  projects.putCheck(check('q1', 'q', true));
  scheduler.projectChanged('p', 0);
  expect(scheduler.watchedChecks).toBe(0);
  scheduler.shardTaken(scheduler.shardOf('p'), 0);
  scheduler.shardTaken(scheduler.shardOf('q'), 0);
  expect(scheduler.watchedChecks).toBe(2);
  projects.putCheck(check('p2', 'p', true));
  scheduler.projectChanged('p', 0);
  expect(scheduler.watchedChecks).toBe(3);
  projects.replace('p', { project: null, areas: [], checks: [] });
  scheduler.projectChanged('p', 0);
  expect(scheduler.watchedChecks).toBe(1);
  scheduler.shardLost(scheduler.shardOf('q'), 0);
  expect(scheduler.watchedChecks).toBe(0);
});
