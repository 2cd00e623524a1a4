import { Injectable } from '@nestjs/common';
import type { CheckRow } from '../../projections/check/check.view.ts';
import type { ProjectRow } from '../../projections/project/project.view.ts';
import { type CheckFacts, noResponse } from './check.presenter.ts';

/** What the service found out about a check: nothing, before its first run. */
@Injectable()
export class CheckFactsReader {
  of(row: CheckRow, project: ProjectRow): Promise<CheckFacts> {
    return Promise.resolve({
      running: false,
      status: 'unknown',
      failures: [],
      lastRun: 0,
      lastChange: 0,
      response: noResponse,
      requestUrl: URL.canParse(row.settings.url, project.settings.url)
        ? new URL(row.settings.url, project.settings.url).href
        : row.settings.url,
    });
  }
}
