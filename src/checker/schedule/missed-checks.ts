import { lastOccurrence } from '../../kernel/recurrence.ts';
import { enabledChecks, type ProjectPlan } from '../plan/plan.ts';
import { turnsOfAreas } from './turns-of-areas.ts';

/** The checks that have not been looked at since the last turn of their group: it came up while nobody held the shard, or its checker died in the middle of it. */
export function missedChecks(plan: ProjectPlan, lastRun: (checkId: string) => number | undefined, now: number): readonly string[] {
  const created = Date.parse(plan.project.createdAt);
  return turnsOfAreas(plan).flatMap((turns) => {
    const turn = lastOccurrence(turns, now);
    if (turn < created) return [];
    return enabledChecks(plan, turns.areaId)
      .map(({ id }) => id)
      .filter((id) => (lastRun(id) ?? -Infinity) < turn);
  });
}
