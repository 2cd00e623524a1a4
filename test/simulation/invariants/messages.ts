import type { Events } from '../../../src/domain/events.ts';
import type { LogEvent } from '../../../src/kernel/event.ts';
import { changeOf, type Inbox } from '../inbox.ts';
import { during } from './interval.ts';
import { HOUR, LARGEST_STEP, MINUTE, TAKEN_MS } from '../limits.ts';
import type { Troubles } from '../troubles.ts';

interface Expected {
  readonly change: string;
  readonly at: number;
  /** Of a recovery: it is told to those who were told of the failure. */
  readonly follows: string | null;
  /** It was over, or of no interest any more, before everybody had to be told. */
  until: number;
}

/** Between two tries, at the longest. */
const LONGEST_PAUSE_MS = 20 * MINUTE;

/** Each confirmed change is told, in time, and nothing else is. That nothing is told twice the inbox sees for itself. */
export function changesTold(
  events: readonly LogEvent[],
  inbox: Inbox,
  troubles: Troubles,
  end: number,
  broken: (what: string) => void,
): number {
  const expected = expectedOf(events);
  for (const { change, at, until, follows } of expected.values()) {
    if (follows !== null && !inbox.told.has(follows)) continue;
    const told = inbox.told.get(change);
    const heard = told ?? end;
    const silent = during(troubles.silences, at - MINUTE, heard, LONGEST_PAUSE_MS);
    const patience =
      3 * MINUTE + silent + during(troubles.absences, at - TAKEN_MS, heard, TAKEN_MS) + during(troubles.steps, at, heard, HOUR);
    if (told === undefined && Math.min(until, end) - at > patience + LARGEST_STEP) broken(`the ${change} was never told`);
    if (told !== undefined && told - at > patience + LARGEST_STEP)
      broken(`the ${change} was told ${String(Math.round((told - at) / MINUTE))} minutes late`);
  }
  for (const change of inbox.told.keys()) if (!expected.has(change)) broken(`the ${change} was told, and there was none`);
  return expected.size;
}

/** A failure that counts, and its end where the failure was worth telling. */
function expectedOf(events: readonly LogEvent[]): ReadonlyMap<string, Expected> {
  const expected = new Map<string, Expected>();
  const open = new Map<string, Expected>();
  const expect = (change: string, at: number, follows: string | null = null): Expected => {
    const one = { change, at, follows, until: Infinity };
    expected.set(change, one);
    return one;
  };
  /** Answers the failure that is over; null where none was open. */
  const close = (subject: string, at: number): string | null => {
    const failure = open.get(subject);
    open.delete(subject);
    if (failure !== undefined) failure.until = at;
    return failure?.change ?? null;
  };
  for (const event of events) {
    const at = Date.parse(event.recordedAt);
    const projectId = event.scope.slice('project-'.length);
    if (event.type === 'CheckFailed') {
      const { checkId, since, confirmed } = event.data as Events['CheckFailed'];
      if (confirmed) open.set(checkId, expect(changeOf('problem', projectId, { about: 'check', testId: checkId, since, until: null }), at));
    } else if (event.type === 'CheckRecovered') {
      const { checkId, since, failedSince } = event.data as Events['CheckRecovered'];
      const failure = close(checkId, at);
      if (failure !== null)
        expect(changeOf('recovery', projectId, { about: 'check', testId: checkId, since: failedSince, until: since }), at, failure);
    } else if (event.type === 'CheckSwitched') {
      const { checkId, to } = event.data as Events['CheckSwitched'];
      if (!to) close(checkId, at);
    } else if (event.type === 'UptimeWentDown') {
      const { since, before } = event.data as Events['UptimeWentDown'];
      if (before !== 'unknown')
        open.set(projectId, expect(changeOf('problem', projectId, { about: 'uptime', testId: null, since, until: null }), at));
    } else if (event.type === 'UptimeWentUp') {
      const { since, downSince } = event.data as Events['UptimeWentUp'];
      const failure = close(projectId, at);
      if (failure !== null)
        expect(changeOf('recovery', projectId, { about: 'uptime', testId: null, since: downSince, until: since }), at, failure);
    }
  }
  return expected;
}
