import type { Registry } from 'prom-client';
import { coalesced } from '../../kernel/cached.ts';
import type { SubscriptionTotals } from './subscription-store.ts';
import { SUBSCRIPTION_OUTCOMES, type SubscriptionOutcome, type SubscriptionMeter } from './subscriptions.ts';
import { callbackGauge } from '../../platform/telemetry/metrics/callback-gauge.ts';
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts';

/** What consumers of subscriptions do on this instance. */
export class SubscriptionMetrics implements SubscriptionMeter {
  private readonly counter;

  constructor(metrics: Pick<Metrics, 'counter'>) {
    this.counter = metrics.counter('watchledger_subscription_events_total', 'Events of subscriptions by what happened to them', [
      'outcome',
    ]);
    for (const outcome of SUBSCRIPTION_OUTCOMES) this.counter.inc({ outcome }, 0);
  }

  deliveries(outcome: SubscriptionOutcome, times: number): void {
    this.counter.inc({ outcome }, times);
  }
}

interface SubscriptionSources {
  readonly totals: () => Promise<SubscriptionTotals>;
  readonly head: () => Promise<number>;
}

const GAUGES = {
  watchledger_subscriptions: ['Subscriptions of all accounts', ({ subscriptions }) => subscriptions],
  watchledger_subscription_parked_events: ['Events that consumers of subscriptions parked', ({ parked }) => parked],
  watchledger_subscription_gap: [
    'Positions between the end of the log and the subscription that is farthest behind',
    ({ position }, head) => (position === null ? 0 : Math.max(0, head - position)),
  ],
} as const satisfies Readonly<Record<string, readonly [string, (totals: SubscriptionTotals, head: number) => number]>>;

export function meterSubscriptions(registry: Registry, { totals, head }: SubscriptionSources): void {
  const read = coalesced(() => Promise.all([totals(), head()]));
  for (const [name, [help, value]] of Object.entries(GAUGES))
    callbackGauge(registry, { name, help }, async (set) => {
      set(value(...(await read())));
    });
}
