import { Injectable } from '@nestjs/common';
import { secondsBetweenStarts } from '../../projects/areas/area.settings.ts';
import { nextOccurrence, phaseOf } from '../../kernel/recurrence.ts';
import { type AreaRow, areaView } from '../../projects/areas/area.view.ts';
import { checkView } from '../../projects/checks/check.view.ts';
import { alsoIn, type Views, ViewsAt } from '../../platform/read-models/views/views.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import { verdictView } from '../verdicts/verdict.view.ts';
import type { AreaFacts, AreaFindings } from '../../projects/areas/area.presenter.ts';
import { projectStream } from '../../kernel/stream-names.ts';

/** The period of scheduled starts in seconds; 0 without a schedule. */
const periodSeconds = (area: AreaRow, project: ProjectRow): number =>
  secondsBetweenStarts(area.settings.period, project.settings.period) ?? 0;

/** Reads what the service found out about areas. */
@Injectable()
export class AreaFactsReader implements AreaFindings {
  constructor(private readonly views: ViewsAt) {}

  prefetch(views: Views, projectId: string): void {
    views.prefetch(projectStream(projectId), [areaView, checkView, verdictView]);
  }

  async read(rows: readonly AreaRow[], project: ProjectRow, now: number): Promise<ReadonlyMap<string, AreaFacts>> {
    const views = this.views.now();
    const ids = rows.map(({ id }) => id);
    const query = { scope: projectStream(project.id), order: { by: 'order' } } as const;
    const [enabled, failing] = await Promise.all([
      views.firsts(checkView, 'runs', ids, query),
      views.firsts(checkView, 'runs', ids, { ...query, also: [alsoIn(verdictView, { of_group: { eq: project.id } })] }),
    ]);
    const verdicts = await views.many(
      verdictView,
      [...failing.values()].map(({ id }) => id),
    );
    return new Map(
      rows.map((row) => {
        const check = failing.get(row.id);
        const sentence = check === undefined ? null : (verdicts.get(check.id)?.failing?.failures[0] ?? null);
        const failure = sentence ?? formFailure(row);
        return [row.id, { failure, ...nextRunOf(row, project, enabled.has(row.id), now) }];
      }),
    );
  }
}

/** A form that was saved without a checksum is compared with the first one that was found (docs/spec/decisions.md#T12). */
function formFailure({ foundChecksum, settings: { form } }: AreaRow): string | null {
  if (foundChecksum === null) return null;
  return `The sign-in form has changed since ${form?.checksum === '' ? 'it was first found' : 'the area was saved'}.`;
}

/** The checker derives the same recurrence from the same id; an area without enabled checks is not started. */
function nextRunOf(row: AreaRow, project: ProjectRow, hasChecks: boolean, now: number): Pick<AreaFacts, 'periodInt' | 'nextRun'> {
  const periodInt = periodSeconds(row, project);
  if (periodInt === 0 || !hasChecks) return { periodInt, nextRun: -1 };
  const periodMs = periodInt * 1000;
  return { periodInt, nextRun: Math.ceil((nextOccurrence({ periodMs, phaseMs: phaseOf(row.id, periodMs) }, now) - now) / 1000) };
}
