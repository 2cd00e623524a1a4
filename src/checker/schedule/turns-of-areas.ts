import { secondsBetweenStarts } from '../../domain/area/settings.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import { enabledChecks, type ProjectPlan } from '../plan/plan.ts';
import { keyOf } from './conductor.ts';
import type { Recurring } from './timetable.ts';

export const AREA = 'area';

export interface TurnsOfArea extends Recurring {
  readonly areaId: string;
}

/** A group runs at its own period, or at the project's; a group with nothing to run does not. */
export function turnsOfAreas(plan: ProjectPlan): readonly TurnsOfArea[] {
  const turns: TurnsOfArea[] = [];
  for (const area of plan.areas.values()) {
    const seconds = secondsBetweenStarts(area.settings.period, plan.project.settings.period);
    if (seconds === null || enabledChecks(plan, area.id).length === 0) continue;
    const periodMs = seconds * 1_000;
    turns.push({ areaId: area.id, key: keyOf(AREA, plan.project.id, area.id), periodMs, phaseMs: phaseOf(area.id, periodMs) });
  }
  return turns;
}
