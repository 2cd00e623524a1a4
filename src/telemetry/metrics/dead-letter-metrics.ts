import type { Registry } from 'prom-client';
import type { DeadLetterStatus } from '../../processes/notifications/dead-letters.ts';
import type { HealthParts } from '../health/health-parts.ts';
import { together, toldGauge } from './told-gauge.ts';

type Look = () => Promise<DeadLetterStatus>;

const GAUGES = {
  watchledger_set_aside_events: ['Events that nobody is told of until an operator retries or skips what is parked', ({ events }) => events],
  watchledger_set_aside_seconds: ['How long the first of them has waited', ({ seconds }) => seconds],
} as const satisfies Readonly<Record<string, readonly [string, (standing: DeadLetterStatus) => number]>>;

export function meterDeadLetters(registry: Registry, look: Look): void {
  const standing = together(look);
  for (const [name, [help, value]] of Object.entries(GAUGES))
    toldGauge(registry, { name, help }, async (tell) => {
      tell(value(await standing()));
    });
}

/** Everybody else is told; but somebody has to know. */
export function reportDeadLetters(health: Pick<HealthParts, 'show'>, look: Look): void {
  health.show('messages', async () => {
    const { events, scopes, first } = await look();
    if (first === null) return;
    const others = scopes === 1 ? '' : ` and ${String(scopes - 1)} more`;
    throw new Error(`nobody is told of ${String(events)} events of ${first}${others}, which cannot be read: retry or skip what is parked`);
  });
}
