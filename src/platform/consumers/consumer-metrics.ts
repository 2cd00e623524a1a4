import type { Registry } from 'prom-client';
import { coalesced } from '../../kernel/cached.ts';
import { callbackGauge } from '../telemetry/metrics/callback-gauge.ts';
import { CONSUMER_STATES, type ConsumerStatus } from './consumer-admin.ts';

const labels = ['consumer'];

const FIGURES = {
  watchledger_consumer_lag_seconds: ['Seconds that a consumer is behind the log', ({ lag }) => lag],
  watchledger_consumer_parked_partitions: [
    'Projects and accounts parked by an event that a consumer could not handle',
    ({ parked }) => parked,
  ],
} as const satisfies Readonly<Record<string, readonly [string, (status: ConsumerStatus) => number]>>;

/** Process managers of the service and reactors of teams. */
export function meterConsumers(registry: Registry, read: () => Promise<readonly ConsumerStatus[]>): void {
  const statuses = coalesced(read);
  for (const [name, [help, value]] of Object.entries(FIGURES))
    callbackGauge(registry, { name, help, labels }, async (set) => {
      for (const status of await statuses()) set(value(status), { consumer: status.name });
    });
  const state = {
    name: 'watchledger_consumer_state',
    help: '1 for the current state of a consumer of the log, 0 for the others',
    labels: [...labels, 'state'],
  };
  callbackGauge(registry, state, async (set) => {
    for (const { name, state: current } of await statuses())
      for (const label of CONSUMER_STATES) set(current === label ? 1 : 0, { consumer: name, state: label });
  });
}
