import { type Limit, LIMITS, type LimitMeter } from '../../../kernel/limits.ts';
import type { Metrics } from './metrics.ts';

/** What limits refuse, by limit. */
export class LimitMetrics implements LimitMeter {
  private readonly refusals;

  constructor(metrics: Pick<Metrics, 'counter'>) {
    this.refusals = metrics.counter('watchledger_refusals_total', 'What a limit refused, held back or ended, by limit', ['limit']);
    for (const limit of LIMITS) this.refusals.inc({ limit }, 0);
  }

  refused(limit: Limit, times = 1): void {
    this.refusals.inc({ limit }, times);
  }
}
