import type { Registry } from 'prom-client';
import type { DeadLetterStatus } from './process/dead-letters.ts';
import type { HealthParts } from '../platform/telemetry/health/health-parts.ts';
import { coalesced } from '../kernel/cached.ts';
import { callbackGauge } from '../platform/telemetry/metrics/callback-gauge.ts';

type ReadStatus = () => Promise<DeadLetterStatus>;

const GAUGES = {
  watchledger_set_aside_events: [
    'Dead letters of the notification process: events without notifications until the parked event is retried or skipped',
    ({ events }) => events,
  ],
  watchledger_set_aside_seconds: ['Age of the oldest dead letter in seconds', ({ seconds }) => seconds],
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
      `${String(events)} events of ${first}${others} cause no notifications because a read model is parked: retry or skip the parked event`,
    );
  });
}
