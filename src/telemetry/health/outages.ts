import type { Logger } from 'pino';
import { outageCauseOf, rootOf, type OutageCause } from '../../persistence/outage-cause.ts';
import { type Clock, steadyClock } from '../../kernel/clock.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import type { Metrics } from '../metrics/metrics.ts';

const QUIET_MS = 60_000;

/** States why the database or the event store refuses work: each time in a metric, once a minute and cause in the log. */
export class Outages {
  private readonly reported = new Map<OutageCause, { at: number; since: number }>();
  private readonly counter;

  constructor(
    metrics: Pick<Metrics, 'counter'>,
    private readonly logger: Pick<Logger, 'error'>,
    private readonly clock: Clock = steadyClock,
  ) {
    this.counter = metrics.counter(
      'watchledger_storage_failures_total',
      'Requests and appends that the database or the event store refused, by cause',
      ['cause'],
    );
  }

  report(error: unknown): void {
    const cause = outageCauseOf(error);
    this.counter.inc({ cause });
    const now = this.clock.now();
    const last = this.reported.get(cause);
    if (last !== undefined && now - last.at < QUIET_MS) {
      last.since++;
      return;
    }
    this.reported.set(cause, { at: now, since: 0 });
    this.logger.error({ cause, reason: reasonOf(rootOf(error)), sinceLastEntry: (last?.since ?? 0) + 1 }, 'storage refuses work');
  }
}
