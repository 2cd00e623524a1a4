import { phaseOf } from '../../kernel/turns.ts';
import { enabledChecks, type ProjectPlan } from '../plan/plan.ts';
import { keyOf } from './conductor.ts';
import type { Recurring } from './timetable.ts';

export const AREA = 'area';

const MINUTE = 60_000;

/** Milliseconds; undefined: started by hand. */
const periods: Readonly<Record<string, number>> = {
  '5 minutes': 5 * MINUTE,
  '30 minutes': 30 * MINUTE,
  '1 hour': 60 * MINUTE,
  '8 hours': 480 * MINUTE,
  '1 day': 1_440 * MINUTE,
  '7 days': 10_080 * MINUTE,
};

export interface TurnsOfArea extends Recurring {
  readonly areaId: string;
}

/** A group runs at its own period, or at the project's; a group with nothing to run does not. */
export function turnsOfAreas(plan: ProjectPlan): readonly TurnsOfArea[] {
  const turns: TurnsOfArea[] = [];
  for (const area of plan.areas.values()) {
    const periodMs = periods[area.settings.period === 'true' ? plan.project.settings.period : area.settings.period];
    if (periodMs === undefined || enabledChecks(plan, area.id).length === 0) continue;
    turns.push({ areaId: area.id, key: keyOf(AREA, plan.project.id, area.id), periodMs, phaseMs: phaseOf(area.id, periodMs) });
  }
  return turns;
}
