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
export function toldBy(projectId: string, at: number, troubles: FaultPeriods): number {
  return deadline(
    troubles.heardFrom(projectId, at),
    TOLD_MS,
    (until) =>
      during(troubles.silences, at - MINUTE, until, LONGEST_PAUSE_MS) +
      during(troubles.absences, at - TAKEN_MS, until, TAKEN_MS) +
      troubles.blur(at, until),
  );
}

/** Each confirmed change is reported once and in time, and nothing else is. Unexplained repeats are checked by the receiver. */
export function changesTold(
  events: readonly LogEvent[],
  inbox: SimReceiver,
  troubles: FaultPeriods,
  end: number,
  broken: (what: string) => void,
): number {
  const expected = expectedOf(events);
  for (const { change, kind, projectId, at, until, follows, times } of expected.values()) {
    if (inbox.messages(change) > times) broken(`the ${change} was told twice`);
    if (follows !== null && !follows.some((failure) => inbox.told.has(failure))) continue;
    const told = inbox.told.get(change);
    const latest = kind === 'problem' ? toldBy(projectId, at, troubles) : toldBy('', at, troubles);
    if (told === undefined && Math.min(until, end) > latest) broken(`the ${change} was never told`);
    if (told !== undefined && told > latest) broken(`the ${change} was told ${String(Math.round((told - latest) / MINUTE))} minutes late`);
    const heard = troubles.heardFrom(projectId, at);
    if (kind === 'problem' && told !== undefined && told < heard && !touches(troubles.steps, at, heard, MINUTE))
      broken(`the ${change} was told in maintenance`);
  }
  for (const change of inbox.told.keys()) if (!expected.has(change)) broken(`the ${change} was told, and there was none`);
  return expected.size;
}
