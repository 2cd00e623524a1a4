import type { Events } from '../../../src/events.ts';
import type { LogEvent } from '../../../src/kernel/event.ts';
import type { StatePeriod } from '../state-history.ts';
import { DAY, HOUR, LARGEST_STEP, MINUTE, TAKEN_MS } from '../time-limits.ts';
import type { ServedCertificate, SiteTruth } from '../site-truth.ts';
import type { FaultPeriods } from '../fault-periods.ts';
import { deadline, during, touches } from './interval.ts';
import { projectStream } from '../../../src/kernel/stream-names.ts';

export interface CertificatesKnown {
  readonly events: readonly LogEvent[];
  readonly truth: SiteTruth;
  readonly faultPeriods: FaultPeriods;
  readonly end: number;
}

const ALERT_DAYS = 14;
/** Certificates are checked daily and at the very time a warning begins; the checking clock may be a second off. */
const DAILY_MS = 25 * HOUR;
const PROMPTLY_MS = 2 * MINUTE;

type Ending = 'CertificateExpiryApproached' | 'CertificateExpired';

/** Certificate warnings come once per certificate and state, not too early and not too late. Returns their number. */
export function certificatesWarned(known: CertificatesKnown, broken: (what: string) => void): number {
  let warnings = 0;
  for (const [projectId, course] of known.truth.certificates)
    for (const { from, to, state } of course.spells(known.end)) {
      const approaches = state.validTo - (ALERT_DAYS + 1) * DAY;
      warnings += judge(
        'CertificateExpiryApproached',
        { projectId, shown: { from, to, state }, begins: approaches, ends: state.validTo },
        known,
        broken,
      );
      warnings += judge(
        'CertificateExpired',
        { projectId, shown: { from, to, state }, begins: state.validTo, ends: Infinity },
        known,
        broken,
      );
    }
  return warnings;
}

interface Case {
  readonly projectId: string;
  readonly shown: StatePeriod<ServedCertificate>;
  /** The period in which the warning applies. */
  readonly begins: number;
  readonly ends: number;
}

function judge(type: Ending, { projectId, shown, begins, ends }: Case, known: CertificatesKnown, broken: (what: string) => void): number {
  const { fingerprint } = shown.state;
  const said = known.events
    .filter(
      (event) =>
        event.type === type && event.scope === projectStream(projectId) && (event.data as Events[Ending]).fingerprint === fingerprint,
    )
    .map(({ recordedAt }) => Date.parse(recordedAt));
  const what = `${type} of ${fingerprint} of ${projectId}`;
  const [first] = said;
  if (said.length > 1) broken(`${what} was recorded ${String(said.length)} times`);
  if (first !== undefined && first < begins - known.faultPeriods.blur(begins - LARGEST_STEP, begins))
    broken(`${what} was recorded too early`);
  const from = Math.max(shown.from, begins);
  const latest = dueBy(projectId, shown.from, from, known);
  if (latest < Math.min(shown.to, ends) && (first === undefined || first > latest))
    broken(`${what} was due by ${new Date(latest).toISOString()}`);
  return said.length;
}

function dueBy(projectId: string, shownFrom: number, from: number, { truth, faultPeriods, end }: CertificatesKnown): number {
  const wasSeen = truth.looksAt('certificate', projectId).some(({ at, seen }) => seen && at > shownFrom && at < from);
  const [before, after] = [from - DAILY_MS, from + PROMPTLY_MS];
  const outages = truth.outages(projectId, end);
  const isQuiet = !touches(faultPeriods.steps, from - TAKEN_MS, after) && !touches(outages, from - MINUTE, after);
  const away = (until: number): number =>
    during(faultPeriods.absences, from - TAKEN_MS, until, TAKEN_MS) +
    faultPeriods.inTransit(from - TAKEN_MS, until) +
    truth.inconclusiveBetween(projectId, from - TAKEN_MS, until) * MINUTE;
  if (wasSeen && isQuiet) return deadline(from, PROMPTLY_MS, away);
  // A check that finds the site down is repeated the next day.
  const down = (until: number): number =>
    during(outages, before, until) + outages.filter((one) => touches([one], before, until)).length * DAILY_MS;
  return deadline(from, DAILY_MS, (until) => away(until) + faultPeriods.blur(before, until) + down(until));
}
