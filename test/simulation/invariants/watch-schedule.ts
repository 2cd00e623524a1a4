import { DAY, HOUR, LATE_MS, MINUTE, TAKEN_MS } from '../time-limits.ts';
import type { LookedAt, SiteTruth } from '../site-truth.ts';
import type { FaultPeriods } from '../fault-periods.ts';
import { deadline, during } from './interval.ts';

const PERIODS: Readonly<Record<LookedAt, number>> = { certificate: DAY, redirect: HOUR };

export interface LooksKnown {
  readonly truth: SiteTruth;
  readonly faultPeriods: FaultPeriods;
  readonly from: number;
  readonly end: number;
}

/** Certificates are checked daily and redirects hourly, whichever machine owns the shard: a missed check is made up. */
export function lookedNowAndThen({ truth, faultPeriods, from, end }: LooksKnown, broken: (what: string) => void): void {
  const subjects = [
    ...[...truth.certificates.keys()].map((id) => ['certificate', id] as const),
    ...[...truth.redirects.keys()].map((id) => ['redirect', id] as const),
  ];
  for (const [kind, id] of subjects) {
    const times = [from, ...truth.looksAt(kind, id).map(({ at }) => at), end];
    for (const [index, at] of times.entries()) {
      const last = times[index - 1] ?? from;
      const latest = deadline(
        last,
        PERIODS[kind] + LATE_MS,
        (until) =>
          during(faultPeriods.absences, last - TAKEN_MS, until, TAKEN_MS) +
          faultPeriods.inTransit(last - TAKEN_MS, until) +
          faultPeriods.blur(last, until) +
          truth.inconclusiveBetween(id, last, until) * MINUTE,
      );
      if (at > latest)
        broken(`the ${kind} of ${id} was not checked from ${iso(last)} to ${iso(at)}; the next check was due by ${iso(latest)}`);
    }
  }
}

const iso = (at: number): string => new Date(at).toISOString();
