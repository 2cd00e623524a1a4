import type { Logger } from 'pino';
import { outageCauseOf, rootOf, type OutageCause } from '../../postgres/outage-cause.ts';
import { type Clock, steadyClock } from '../../../kernel/clock.ts';
import { reasonOf } from '../../../kernel/system-error.ts';
import { Throttle } from '../../../kernel/throttle.ts';
import type { Metrics } from '../metrics/metrics.ts';

const QUIET_MS = 60_000;

/** States why the database or the event store refuses work: each time in a metric, once a minute and cause in the log. */
export class Outages {
  private readonly throttle: Throttle<OutageCause>;
  private readonly counter;

  constructor(
    metrics: Pick<Metrics, 'counter'>,
    private readonly logger: Pick<Logger, 'error'>,
    clock: Clock = steadyClock,
  ) {
    this.throttle = new Throttle(QUIET_MS, clock);
    this.counter = metrics.counter(
      'watchledger_storage_failures_total',
      'Requests, appends and mirrored events that the database or the event store refused, by cause',
      ['cause'],
    );
  }

  report(error: unknown): void {
    const cause = outageCauseOf(error);
    this.counter.inc({ cause });
    const sinceLastEntry = this.throttle.pass(cause);
    if (sinceLastEntry !== null) this.logger.error({ cause, reason: reasonOf(rootOf(error)), sinceLastEntry }, 'storage refuses work');
  }
}
