import type { Registry } from 'prom-client';
import type { DeadLetterStatus } from '../../processes/notifications/dead-letters.ts';
import type { HealthParts } from '../health/health-parts.ts';
import { together, callbackGauge } from './callback-gauge.ts';

type Look = () => Promise<DeadLetterStatus>;

const GAUGES = {
  watchledger_set_aside_events: [
    'Dead letters of the notification process: events that notify nobody until the parked row is retried or skipped',
    ({ events }) => events,
  ],
  watchledger_set_aside_seconds: ['Age of the oldest dead letter in seconds', ({ seconds }) => seconds],
} as const satisfies Readonly<Record<string, readonly [string, (standing: DeadLetterStatus) => number]>>;

export function meterDeadLetters(registry: Registry, look: Look): void {
  const standing = together(look);
  for (const [name, [help, value]] of Object.entries(GAUGES))
    callbackGauge(registry, { name, help }, async (tell) => {
      tell(value(await standing()));
    });
}

/** Marks the health part `messages` as failing while there are dead letters. */
export function reportDeadLetters(health: Pick<HealthParts, 'show'>, look: Look): void {
  health.show('messages', async () => {
    const { events, scopes, first } = await look();
    if (first === null) return;
    const others = scopes === 1 ? '' : ` and ${String(scopes - 1)} more`;
    throw new Error(
      `${String(events)} events of ${first}${others} notify nobody because a read model is parked: retry or skip the parked event`,
    );
  });
}
