import { secondsBetweenStarts } from '../../projects/areas/area.settings.ts';
import { lastOccurrence, nextOccurrence, phaseOf } from '../../kernel/recurrence.ts';
import { enabledChecks, type WatchedProject } from '../projects/watched-projects.ts';
import type { RecurringTurn } from '../schedule/turn.ts';

export interface AreaTurn extends RecurringTurn {
  readonly areaId: string;
}

/** An area runs at its own period or that of the project; an area without enabled checks has no turns. */
export function areaTurns(watched: WatchedProject): readonly AreaTurn[] {
  const { project, areas } = watched;
  return [...areas.values()].flatMap(({ id, settings }) => {
    const seconds = secondsBetweenStarts(settings.period, project.settings.period);
    if (seconds === null || enabledChecks(watched, id).length === 0) return [];
    const periodMs = seconds * 1_000;
    const turn = { kind: 'area', projectId: project.id, subjectId: id } as const;
    return [{ areaId: id, turn, periodMs, phaseMs: phaseOf(id, periodMs) }];
  });
}

export interface MissedCheck {
  readonly checkId: string;
  /** The next turn of its area. */
  readonly nextDue: number;
}

/** The checks without a run since the last turn of their area: no checker held the shard then, or its process died during the turn. */
export function missedChecks(
  watched: WatchedProject,
  lastRunOf: (checkId: string) => number | undefined,
  now: number,
): readonly MissedCheck[] {
  const createdAt = Date.parse(watched.project.createdAt);
  return areaTurns(watched).flatMap((area) => {
    const lastDue = lastOccurrence(area, now);
    if (lastDue < createdAt) return [];
    const nextDue = nextOccurrence(area, now);
    return enabledChecks(watched, area.areaId)
      .filter(({ id }) => (lastRunOf(id) ?? -Infinity) < lastDue)
      .map(({ id: checkId }) => ({ checkId, nextDue }));
  });
}
