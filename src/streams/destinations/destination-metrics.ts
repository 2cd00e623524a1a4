import type { PushMeter } from './batch-push.ts';
import type { PushStatus } from './push-store.ts';
import { coalesced } from '../../kernel/cached.ts';
import { callbackGauge } from '../../platform/telemetry/metrics/callback-gauge.ts';
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts';

const OUTCOMES = ['delivered', 'failed', 'parked'] as const;

/** What is pushed to event destinations. */
export class DestinationMetrics implements PushMeter {
  private readonly events;
  private readonly batches;

  constructor(metrics: Metrics, readStatus: () => Promise<PushStatus>) {
    this.events = metrics.counter('watchledger_destination_events_total', 'Events delivered to event destinations by this instance');
    this.batches = metrics.counter(
      'watchledger_destination_batches_total',
      'Batches sent to event destinations by this instance, by outcome; parked: failed for the last time',
      ['outcome'],
    );
    for (const outcome of OUTCOMES) this.batches.inc({ outcome }, 0);
    const status = coalesced(readStatus);
    const scopes = {
      name: 'watchledger_destination_scopes',
      help: 'Projects and accounts, by destination, whose events are not delivered: retrying after a failure, or parked',
      labels: ['state'],
    };
    callbackGauge(metrics.registry, scopes, async (set) => {
      const { retrying, parked } = await status();
      set(retrying, { state: 'retrying' });
      set(parked, { state: 'parked' });
    });
    const failing = {
      name: 'watchledger_destination_failing_seconds',
      help: 'How long the destination that is retried for longest has failed',
    };
    callbackGauge(metrics.registry, failing, async (set) => {
      set((await status()).seconds);
    });
  }

  delivered(events: number): void {
    this.events.inc(events);
    this.batches.inc({ outcome: 'delivered' });
  }

  failed(isParked: boolean): void {
    this.batches.inc({ outcome: isParked ? 'parked' : 'failed' });
  }
}
