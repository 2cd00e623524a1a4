import type { Registry } from 'prom-client';
import type { DeadLetterStatus } from '../platform/consumers/consumer-store.ts';
import type { HealthParts } from '../platform/telemetry/health/health-parts.ts';
import { coalesced } from '../kernel/cached.ts';
import { callbackGauge } from '../platform/telemetry/metrics/callback-gauge.ts';

type ReadStatus = () => Promise<DeadLetterStatus>;

const GAUGES = {
  watchledger_dead_letter_events: [
    'Dead letters of process managers: events without notifications until the one that they wait behind can be handled, or is voided',
    ({ events }) => events,
  ],
  watchledger_dead_letter_seconds: ['Age of the oldest dead letter in seconds', ({ seconds }) => seconds],
} as const satisfies Readonly<Record<string, readonly [string, (status: DeadLetterStatus) => number]>>;

export function meterDeadLetters(registry: Registry, readStatus: ReadStatus): void {
  const status = coalesced(readStatus);
  for (const [name, [help, value]] of Object.entries(GAUGES))
    callbackGauge(registry, { name, help }, async (set) => {
      set(value(await status()));
    });
}

/** Marks the health part `messages` as failing while there are dead letters. */
export function reportDeadLetters(health: Pick<HealthParts, 'show'>, readStatus: ReadStatus): void {
  health.show('messages', async () => {
    const { events, scopes, first } = await readStatus();
    if (first === null) return;
    const others = scopes === 1 ? '' : ` and ${String(scopes - 1)} more`;
    throw new Error(
      `${String(events)} events of ${first}${others} cause no notifications, because a read model is parked or an event cannot be handled: retry or skip the parked event, or void the event`,
    );
  });
}
