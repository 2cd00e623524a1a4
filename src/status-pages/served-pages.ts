import { Injectable, Logger } from '@nestjs/common';
import { Throttle } from '../kernel/throttle.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { maintenanceView } from '../projects/maintenance/maintenance.view.ts';
import { projectView } from '../projects/project.view.ts';
import { incidentsView } from './incidents.view.ts';
import { statusPageView } from './status-page.view.ts';
import { uptimeView } from '../watches/uptime/uptime.view.ts';
import { verdictView } from '../checker/verdicts/verdict.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { PageCache } from './page-cache.ts';
import { PageReading } from './page-reading.ts';

/** Events after which a page may say something else. */
const TYPES: readonly string[] = [
  ...new Set(
    [statusPageView, incidentsView, projectView, checkView, verdictView, uptimeView, maintenanceView].flatMap(({ handles }) => [
      ...handles,
    ]),
  ),
];

const REPORT_EVERY_MS = 60_000;

/** The pages of this process. */
@Injectable()
export class ServedPages {
  readonly cache: PageCache;

  constructor(searcher: LogSearcher, views: ViewsAt, reading: PageReading) {
    const logger = new Logger('status pages');
    const reports = new Throttle(REPORT_EVERY_MS);
    this.cache = new PageCache({
      views,
      reading,
      now: () => Date.now(),
      monotonicNow: () => performance.now(),
      backlog: async (after, scopes) => (await searcher.backlog({ after, scopes, types: TYPES }, 1)).events,
      report: (error) => {
        const times = reports.pass('read');
        if (times !== null) logger.warn({ msg: 'a status page could not be read; the one in memory is served', err: error, times });
      },
    });
  }
}
