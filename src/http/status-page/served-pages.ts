import { Inject, Injectable, Logger } from '@nestjs/common';
import type pg from 'pg';
import { Throttle } from '../../kernel/throttle.ts';
import { LogSearcher } from '../../log/search.ts';
import { DATABASE } from '../../persistence/pool.ts';
import { checkView } from '../../projections/read-models/check/check.view.ts';
import { maintenanceView } from '../../projections/read-models/maintenance/maintenance.view.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import { incidentsView } from '../../projections/read-models/status-page/incidents.view.ts';
import { statusPageView } from '../../projections/read-models/status-page/status-page.view.ts';
import { uptimeView } from '../../projections/read-models/uptime/uptime.view.ts';
import { verdictView } from '../../projections/read-models/verdict/verdict.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
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

  constructor(@Inject(DATABASE) pool: pg.Pool, @Inject(VIEWS_AT) views: ViewsAt, @Inject(PageReading) reading: PageReading) {
    const searcher = new LogSearcher(pool);
    const logger = new Logger('status pages');
    const reports = new Throttle(REPORT_EVERY_MS);
    this.cache = new PageCache({
      ...{ views, reading, now: () => Date.now(), monotonicNow: () => performance.now() },
      backlog: async (after, scopes) => (await searcher.backlog({ after, scopes, types: TYPES }, 1)).events,
      report: (error) => {
        const times = reports.pass('read');
        if (times !== null) logger.warn({ msg: 'a status page could not be read; the one in memory is served', err: error, times });
      },
    });
  }
}
