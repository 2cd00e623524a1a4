import type { StateHistory, StatePeriod } from '../state-history.ts';
import type { SimReceiver } from '../sim-receiver.ts';
import { LATE_MS, MINUTE, TAKEN_MS } from '../time-limits.ts';
import type { SiteTruth } from '../site-truth.ts';
import type { FaultPeriods } from '../fault-periods.ts';
import type { Failure } from './recorded-failures.ts';
import { deadline, during } from './interval.ts';
import { toldBy } from './messages-delivered.ts';

/** A check, or a site whose uptime is watched. */
export interface Subject {
  readonly id: string;
  readonly projectId: string;
  /** Milliseconds between checks; null while there are none. */
  readonly every: StateHistory<number | null>;
}

export interface Known {
  readonly truth: SiteTruth;
  readonly failures: readonly Failure[];
  readonly receiver: SimReceiver;
  readonly faultPeriods: FaultPeriods;
  readonly end: number;
}

/** Every real outage is detected and reported in time, and a healthy site never fails. Returns how many outages were long enough to be detected. */
export function outagesNoticed(subjects: readonly Subject[], known: Known, broken: (what: string) => void): number {
  let noticed = 0;
  for (const subject of subjects) {
    const own = known.failures.filter((failure) => failure.subject === subject.id);
    if (known.truth.wasAlwaysWell(subject.id) && own.length > 0) broken(`${subject.id} was always healthy, but a failure is recorded`);
    for (const outage of known.truth.outages(subject.id, known.end))
      for (const spell of subject.every.spells(known.end)) {
        const [from, to] = [Math.max(outage.from, spell.from), Math.min(outage.to, spell.to)];
        if (spell.state !== null && to > from && judge(subject, own, { from, to, state: spell.state }, known, broken)) noticed++;
      }
  }
  return noticed;
}

/** The parts of an outage with a constant check period. */
function judge(
  { id, projectId }: Subject,
  own: readonly Failure[],
  down: StatePeriod<number>,
  known: Known,
  broken: (what: string) => void,
): boolean {
  const { faultPeriods, receiver, truth } = known;
  const found = deadline(
    down.from,
    down.state + LATE_MS + MINUTE,
    (until) =>
      during(faultPeriods.absences, down.from - TAKEN_MS, until, TAKEN_MS) +
      faultPeriods.blur(down.from, until) +
      truth.inconclusiveBetween(id, down.from, until) * MINUTE,
  );
  if (found >= down.to) return false;
  const failure = own.find(({ from, to }) => from <= found && to > found);
  if (failure === undefined) {
    broken(`${id} was down from ${iso(down.from)} to ${iso(down.to)}, and was not detected by ${iso(found)}`);
    return true;
  }
  // A failure reported before the check was disabled is not reported again.
  if (failure.change === null || failure.from < down.from) return true;
  const reportedAt = receiver.reported.get(failure.change);
  const latest = toldBy(projectId, failure.from, faultPeriods);
  if (latest < down.to && (reportedAt === undefined || reportedAt > latest))
    broken(`${id} was down from ${iso(down.from)} on, and was not reported by ${iso(latest)}`);
  return true;
}

const iso = (at: number): string => new Date(at).toISOString();
