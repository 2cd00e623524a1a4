import type { LogEvent } from '../../../src/kernel/event.ts';
import { percentages, uptimeTotals } from '../../../src/domain/uptime/report.ts';
import { timeline } from '../../../src/domain/uptime/timeline.ts';
import type { Sample } from '../../../src/observations/samples/sample.ts';
import { during, type Interval } from './interval.ts';
import { DAY, HOUR, LARGEST_STEP, MINUTE, TAKEN_MS } from '../limits.ts';
import type { Troubles } from '../troubles.ts';

export interface Watched {
  readonly projectId: string;
  readonly samples: readonly Sample[];
  /** When the site was really down. */
  readonly down: readonly Interval[];
}

/** What a report says adds up, and is what was; what nobody saw is unknown. */
export function uptimeAddsUp(
  { projectId, samples, down }: Watched,
  span: Interval,
  troubles: Troubles,
  broken: (what: string) => void,
): void {
  const tell = (what: string): void => {
    broken(`uptime of ${projectId}: ${what}`);
  };
  const request = { ...span, offsetMinutes: 0, now: span.to, excluded: [] };
  const { total, days } = uptimeTotals(timeline(samples, span), request);
  const whole = total.upMs + total.downMs + total.timeoutMs + total.unknownMs;
  if (Math.abs(whole - (span.to - span.from)) > 1) tell(`${String(whole)} ms of ${String(span.to - span.from)}`);
  const { up, down: percentDown, timeout } = percentages(total);
  if (Math.abs(up + percentDown + timeout - 100) > 1e-6) tell(`${String(up)} + ${String(percentDown)} + ${String(timeout)} %`);
  if (Math.abs(days.reduce((sum, { downMs }) => sum + downMs, 0) - total.downMs) > 1) tell('the days are not the whole');
  // A probe a minute, which holds for two: so near an end of a failure can be known, and wrong clocks put it elsewhere.
  const blurred = down.length * 4 * MINUTE + troubles.steps.length * 2 * LARGEST_STEP;
  const really = during(down, span.from, span.to);
  if (total.downMs > really + blurred) tell(`down for ${minutes(total.downMs)}, really for ${minutes(really)}`);
  if (total.downMs < really - blurred - total.unknownMs) tell(`down for ${minutes(total.downMs)} only, really for ${minutes(really)}`);
  const excused = during(troubles.absences, span.from, span.to, TAKEN_MS + 2 * MINUTE) + troubles.steps.length * 2 * LARGEST_STEP;
  const spoilt = ((span.to - span.from) / DAY) * 30 * MINUTE;
  if (total.unknownMs > excused + spoilt)
    tell(`unknown for ${minutes(total.unknownMs)}, of which ${minutes(excused + spoilt)} are excused`);
}

/** Down, up, down, up; nothing twice. */
export function uptimeTakesTurns(events: readonly LogEvent[], broken: (what: string) => void): number {
  const down = new Set<string>();
  let changes = 0;
  for (const { type, scope } of events) {
    if (type !== 'UptimeWentDown' && type !== 'UptimeWentUp') continue;
    changes++;
    if (down.has(scope) === (type === 'UptimeWentDown')) broken(`${type} of ${scope} twice`);
    if (type === 'UptimeWentDown') down.add(scope);
    else down.delete(scope);
  }
  return changes;
}

const minutes = (milliseconds: number): string =>
  milliseconds < 2 * HOUR ? `${String(Math.round(milliseconds / MINUTE))} minutes` : `${String(Math.round(milliseconds / HOUR))} hours`;
