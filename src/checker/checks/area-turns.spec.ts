import { describe, expect, it } from '@jest/globals';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { publicArea } from '../../projects/areas/area.settings.ts';
import { presetCheck } from '../../projects/checks/preset.ts';
import { nextOccurrence } from '../../kernel/recurrence.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import { areaTurns, missedChecks } from './area-turns.ts';

const NOW = Date.UTC(2026, 5, 1);

function watchedOf(createdAt: number, period: '1 hour' | 'false' = '1 hour'): WatchedProject {
  const settings = presetCheck('', '/', 'simple', []);
  const check = (id: string, order: number, enabled = true) =>
    [id, { id, projectId: 'p', areaId: 'a', settings: { ...settings, enabled }, order }] as const;
  return {
    project: {
      ...{ id: 'p', payerId: 1, settings: projectSettings, apiKey: { subject: 'p', sealed: '' }, preset: false },
      ...{ createdAt: new Date(createdAt).toISOString(), isWordPress: null, members: [], invitations: [], transfer: null },
    },
    areas: new Map([
      ['a', { id: 'a', projectId: 'p', settings: { ...publicArea, period }, foundChecksum: null, firstChecksum: null, order: 0 }],
    ]),
    checks: new Map([check('never', 4), check('late', 1), check('recent', 2), check('off', 3, false)]),
  };
}

describe('missedChecks', () => {
  const watched = watchedOf(NOW - 86_400_000);
  const [turns] = areaTurns(watched);
  if (turns === undefined) throw new Error('expected turns of the area');
  const last = nextOccurrence(turns, NOW) - turns.periodMs;
  const runs = new Map([
    ['late', last - 1],
    ['recent', last],
  ]);

  it('returns the enabled checks without a run since the last turn of their area, in order', () => {
    const nextDue = last + turns.periodMs;
    expect(missedChecks(watched, (id) => runs.get(id), NOW)).toEqual([
      { checkId: 'late', nextDue },
      { checkId: 'never', nextDue },
    ]);
  });

  it('returns none for a project without a past turn, or without turns', () => {
    expect(missedChecks(watchedOf(last + 1), () => undefined, NOW)).toEqual([]);
    expect(missedChecks(watchedOf(last), () => undefined, NOW)).toHaveLength(3);
    expect(missedChecks(watchedOf(0, 'false'), () => undefined, NOW)).toEqual([]);
  });
});
