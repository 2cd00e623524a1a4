import { callbackGauge } from './callback-gauge.ts';
import type { Metrics } from './metrics.ts';

/** What budgets of accounts are in use. */
export class BudgetMetrics {
  constructor(private readonly metrics: Pick<Metrics, 'registry'>) {}

  streams(count: () => number): void {
    const row = { name: 'watchledger_live_streams', help: 'Live streams and followed jobs that are open on this instance' };
    callbackGauge(this.metrics.registry, row, (set) => {
      set(count());
    });
  }
}
