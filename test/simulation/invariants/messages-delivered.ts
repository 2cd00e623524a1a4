import type { LogEvent } from '../../../src/kernel/event.ts';
import type { SimReceiver } from '../sim-receiver.ts';
import { MINUTE, TAKEN_MS } from '../time-limits.ts';
import type { FaultPeriods } from '../fault-periods.ts';
import { expectedOf } from './expected-messages.ts';
import { deadline, during, touches } from './interval.ts';

/** Between two tries, at the longest. */
const LONGEST_PAUSE_MS = 20 * MINUTE;
/** From what happened to the message, and what waits a minute so that more goes with it. */
const TOLD_MS = 3 * MINUTE;

/** The deadline for an alert about this instant. */
export function toldBy(projectId: string, at: number, faultPeriods: FaultPeriods): number {
  return deadline(
    faultPeriods.heardFrom(projectId, at),
    TOLD_MS,
    (until) =>
      during(faultPeriods.silences, at - MINUTE, until, LONGEST_PAUSE_MS) +
      during(faultPeriods.absences, at - TAKEN_MS, until, TAKEN_MS) +
      faultPeriods.blur(at, until),
  );
}

/** Each confirmed change is reported once and in time, and nothing else is. Unexplained repeats are checked by the receiver. */
export function changesTold(
  events: readonly LogEvent[],
  receiver: SimReceiver,
  faultPeriods: FaultPeriods,
  end: number,
  broken: (what: string) => void,
): number {
  const expected = expectedOf(events);
  for (const { change, kind, projectId, at, until, follows, times } of expected.values()) {
    if (receiver.messages(change) > times) broken(`the ${change} was reported twice`);
    if (follows !== null && !follows.some((failure) => receiver.reported.has(failure))) continue;
    const reportedAt = receiver.reported.get(change);
    const latest = kind === 'problem' ? toldBy(projectId, at, faultPeriods) : toldBy('', at, faultPeriods);
    if (reportedAt === undefined && Math.min(until, end) > latest) broken(`the ${change} was never reported`);
    if (reportedAt !== undefined && reportedAt > latest)
      broken(`the ${change} was reported ${String(Math.round((reportedAt - latest) / MINUTE))} minutes late`);
    const heard = faultPeriods.heardFrom(projectId, at);
    if (kind === 'problem' && reportedAt !== undefined && reportedAt < heard && !touches(faultPeriods.steps, at, heard, MINUTE))
      broken(`the ${change} was reported during maintenance`);
  }
  for (const change of receiver.reported.keys()) if (!expected.has(change)) broken(`the ${change} was reported, but is not in the log`);
  return expected.size;
}
