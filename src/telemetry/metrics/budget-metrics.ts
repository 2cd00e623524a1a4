import { callbackGauge } from './callback-gauge.ts';
import type { Metrics } from './metrics.ts';

const NAMES = ['requests', 'address', 'attempts', 'streams', 'jobs', 'events'];

/** What the budgets of accounts refuse, and the streams that are open. */
export class BudgetMetrics {
  private readonly refusals;

  constructor(private readonly metrics: Metrics) {
    this.refusals = metrics.counter('watchledger_budget_refusals_total', 'Requests answered with 429, by the budget that was used up', [
      'budget',
    ]);
    for (const budget of NAMES) this.refusals.inc({ budget }, 0);
  }

  refused(budget: string): void {
    this.refusals.inc({ budget });
  }

  streams(count: () => number): void {
    const row = { name: 'watchledger_live_streams', help: 'Live streams and followed jobs that are open on this instance' };
    callbackGauge(this.metrics.registry, row, (set) => {
      set(count());
    });
  }
}
