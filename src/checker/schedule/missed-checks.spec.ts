import { describe, expect, it } from '@jest/globals';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { publicArea } from '../../domain/area/settings.ts';
import { presetCheck } from '../../domain/check/preset.ts';
import { nextOccurrence } from '../../kernel/recurrence.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import { missedChecks } from './missed-checks.ts';
import { turnsOfAreas } from './turns-of-areas.ts';

const NOW = Date.UTC(2026, 5, 1);

function planOf(createdAt: number, period: '1 hour' | 'false' = '1 hour'): ProjectPlan {
  const settings = presetCheck('', '/', 'simple', []);
  const check = (id: string, order: number, enabled = true) =>
    [id, { id, projectId: 'p', areaId: 'a', settings: { ...settings, enabled }, order }] as const;
  return {
    project: {
      ...{ id: 'p', payerId: 1, settings: projectSettings, apiKey: { subject: 'p', sealed: '' }, preset: false },
      ...{ createdAt: new Date(createdAt).toISOString(), isWordPress: null, members: [] },
    },
    areas: new Map([['a', { id: 'a', projectId: 'p', settings: { ...publicArea, period }, foundChecksum: null, order: 0 }]]),
    checks: new Map([check('never', 4), check('late', 1), check('looked at', 2), check('off', 3, false)]),
  };
}

describe('the checks that missed the last turn of their group', () => {
  const plan = planOf(NOW - 86_400_000);
  const [turns] = turnsOfAreas(plan);
  if (turns === undefined) throw new Error('the group has turns');
  const last = nextOccurrence(turns, NOW) - turns.periodMs;
  const runs = new Map([
    ['late', last - 1],
    ['looked at', last],
  ]);

  it('are those that were not looked at since, in their order, and none that is switched off', () => {
    expect(missedChecks(plan, (id) => runs.get(id), NOW)).toEqual(['late', 'never']);
  });

  it('are none of a project that had no turn yet, or has none by itself', () => {
    expect(missedChecks(planOf(last + 1), () => undefined, NOW)).toEqual([]);
    expect(missedChecks(planOf(last), () => undefined, NOW)).toHaveLength(3);
    expect(missedChecks(planOf(0, 'false'), () => undefined, NOW)).toEqual([]);
  });
});
