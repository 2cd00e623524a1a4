import { Inject, Injectable } from '@nestjs/common';
import { secondsBetweenStarts } from '../../domain/area/settings.ts';
import { nextOccurrence, phaseOf } from '../../kernel/recurrence.ts';
import type { AreaRow } from '../../projections/read-models/area/area.view.ts';
import { type CheckRow, checkView } from '../../projections/read-models/check/check.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { verdictView } from '../../projections/read-models/verdict/verdict.view.ts';
import type { AreaFacts } from './area.presenter.ts';
import { projectStream } from '../../domain/stream-names.ts';

/** The period of scheduled starts in seconds; 0 without a schedule. */
const periodSeconds = (area: AreaRow, project: ProjectRow): number =>
  secondsBetweenStarts(area.settings.period, project.settings.period) ?? 0;

/** Prefixes of an area's rules in verdicts. */
const RULE_OF_AREA = /^(group|sign-in) /;

/** Reads what the service found out about areas. */
@Injectable()
export class AreaFactsReader {
  constructor(@Inject(VIEWS_AT) private readonly views: ViewsAt) {}

  async read(rows: readonly AreaRow[], project: ProjectRow, now: number): Promise<ReadonlyMap<string, AreaFacts>> {
    const views = this.views.now();
    const checks = (await views.list(checkView, { scope: projectStream(project.id) }))
      .map(({ row }) => row)
      .filter(({ settings }) => settings.enabled);
    const verdicts = await views.many(
      verdictView,
      checks.map(({ id }) => id),
    );
    const failureOf = (check: CheckRow): string | null => {
      const failing = verdicts.get(check.id)?.failing;
      return failing?.rules.some((rule) => RULE_OF_AREA.test(rule)) === true ? (failing.failures[0] ?? null) : null;
    };
    return new Map(
      rows.map((row) => {
        const own = checks.filter(({ areaId }) => areaId === row.id);
        const failing = own.map(failureOf).find((sentence) => sentence !== null) ?? null;
        const failure = failing ?? (row.foundChecksum === null ? null : 'The sign-in form has changed since the area was saved.');
        return [row.id, { failure, ...nextRunOf(row, project, own.length, now) }];
      }),
    );
  }
}

/** The checker derives the same recurrence from the same id; an area without enabled checks is not started. */
function nextRunOf(row: AreaRow, project: ProjectRow, checks: number, now: number): Pick<AreaFacts, 'periodInt' | 'nextRun'> {
  const periodInt = periodSeconds(row, project);
  if (periodInt === 0 || checks === 0) return { periodInt, nextRun: -1 };
  const periodMs = periodInt * 1000;
  return { periodInt, nextRun: Math.ceil((nextOccurrence({ periodMs, phaseMs: phaseOf(row.id, periodMs) }, now) - now) / 1000) };
}
