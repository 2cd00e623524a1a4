import type { LogEvent } from '../../../src/kernel/event.ts';
import { HOUR, LATE_MS, MINUTE, TAKEN_MS } from '../time-limits.ts';
import type { Redirecting, SiteTruth } from '../site-truth.ts';
import type { FaultPeriods } from '../fault-periods.ts';
import { deadline, during } from './interval.ts';
import { projectStream } from '../../../src/kernel/stream-names.ts';

const said: Readonly<Record<string, Redirecting>> = {
  RedirectVerified: 'ok',
  RedirectFailed: 'failed',
  RedirectUnreachable: 'unreachable',
};

export interface RedirectsKnown {
  readonly events: readonly LogEvent[];
  readonly truth: SiteTruth;
  readonly faultPeriods: FaultPeriods;
  readonly end: number;
}

/** The redirect of a site is known within an hour, and no wrong state is recorded. */
export function redirectsFollowed({ events, truth, faultPeriods, end }: RedirectsKnown, broken: (what: string) => void): void {
  for (const [projectId, course] of truth.redirects) {
    const changes = events.flatMap(({ type, scope, recordedAt }) => {
      const state = scope === projectStream(projectId) ? said[type] : undefined;
      return state === undefined ? [] : [{ at: Date.parse(recordedAt), state }];
    });
    for (const { from, to, state } of course.spells(end)) {
      const latest = deadline(
        from,
        HOUR + LATE_MS,
        (until) =>
          during(faultPeriods.absences, from - TAKEN_MS, until, TAKEN_MS) +
          faultPeriods.blur(from, until) +
          faultPeriods.inTransit(from - TAKEN_MS, until) +
          truth.inconclusiveBetween(projectId, from, until) * MINUTE,
      );
      const known = changes.findLast(({ at }) => at <= latest)?.state;
      if (latest < to && known !== state)
        broken(`the redirect of ${projectId} is ${state} since ${iso(from)}, but recorded as ${known ?? 'nothing'} by ${iso(latest)}`);
    }
    // A check that started before a change may end after it.
    for (const { at, state } of changes)
      if (course.at(at) !== state && course.at(at - 30_000) !== state)
        broken(`the redirect of ${projectId} was recorded as ${state} at ${iso(at)}`);
  }
}

const iso = (at: number): string => new Date(at).toISOString();
