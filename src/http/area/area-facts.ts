import { Injectable } from '@nestjs/common';
import type { AreaRow } from '../../projections/area/area.view.ts';
import type { ProjectRow } from '../../projections/project/project.view.ts';
import type { AreaFacts } from './area.presenter.ts';

const secondsOf: Readonly<Record<string, number>> = {
  '5 minutes': 300,
  '30 minutes': 1_800,
  '1 hour': 3_600,
  '8 hours': 28_800,
  '1 day': 86_400,
  '7 days': 604_800,
};

/** The period of automatic starts in seconds; 0 for a group that is started by hand. */
export const periodSeconds = (area: AreaRow, project: ProjectRow): number =>
  secondsOf[area.settings.period === 'true' ? project.settings.period : area.settings.period] ?? 0;

/** What the service found out about a group. */
@Injectable()
export class AreaFactsReader {
  of(row: AreaRow, project: ProjectRow): AreaFacts {
    return { failure: null, periodInt: periodSeconds(row, project), nextRun: -1 };
  }
}
