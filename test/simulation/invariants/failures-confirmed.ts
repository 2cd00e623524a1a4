import type { FaultPeriods } from '../fault-periods.ts';
import { HOUR, SECOND } from '../time-limits.ts';
import type { Evidence, Seen } from './evidence.ts';
import type { Failure } from './recorded-failures.ts';
import { during } from './interval.ts';

const APART_MS = 9 * SECOND;

/** Every reported failure was confirmed: a second failed probe before the alert, without a success in between. */
export function failuresConfirmed(
  failures: readonly Failure[],
  evidence: Evidence,
  faultPeriods: FaultPeriods,
  broken: (what: string) => void,
): void {
  for (const failure of failures) {
    const what = reasonAgainst(
      failure,
      evidence.of(failure.subject),
      during(faultPeriods.steps, failure.from - HOUR, failure.from, HOUR) > 0,
    );
    if (what !== null) broken(`${failure.subject} failed since ${new Date(failure.since).toISOString()}, and ${what}`);
  }
}

function reasonAgainst({ from, since, change }: Failure, seen: readonly Seen[], clocksAreWrong: boolean): string | null {
  const first = seen.findIndex(({ clock, failing }) => clock === since && failing);
  const found = seen[first];
  if (found === undefined) return 'nothing that failed then was accepted';
  if (change === null) return null;
  const later = seen.slice(first + 1).filter(({ at }) => at <= from);
  const well = later.findIndex(({ failing }) => !failing);
  // With a wrong clock the order of observation is not the order of arrival.
  if (well >= 0 && !clocksAreWrong) return 'recovered before any alert was sent';
  const confirmed = later.some(({ failing, clock }) => failing && (clocksAreWrong || clock - found.clock >= APART_MS));
  return confirmed ? null : 'no second look confirmed it';
}
