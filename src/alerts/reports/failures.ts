import { type LogEventOf, upcast } from '../../events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { ReportSpan } from '../sender/outgoing-message.ts';

/** A failure of the week, before the current name of its check is read. */
export interface FoundFailure {
  readonly checkId: string | null;
  readonly url: string;
  readonly reason: string;
  readonly since: number;
  readonly until: number | null;
}

/** A failure that is open today; one that began before the week may have no event in it. */
export interface OpenFailure {
  /** `check <id>`, or `uptime`. */
  readonly subject: string;
  readonly failure: FoundFailure;
}

type FailureChange =
  | ({ readonly kind: 'began' } & OpenFailure)
  | { readonly kind: 'ended'; readonly subject: string; readonly failure: FoundFailure | null; readonly at: number };

type HandledType =
  | 'CheckFailed'
  | 'CheckFailureChanged'
  | 'CheckRecovered'
  | 'CheckDeleted'
  | 'CheckSwitched'
  | 'UptimeWentDown'
  | 'UptimeWentUp'
  | 'UptimePeriodChanged';
type Handlers = { readonly [Type in HandledType]: (event: LogEventOf<Type>) => FailureChange | null };

const checkSubject = (checkId: string): string => `check ${checkId}`;

const handlers: Handlers = {
  CheckFailed: ({ data: { checkId, since, failing, evidence } }) =>
    began(checkSubject(checkId), { checkId, url: evidence.url, reason: failing.failures[0] ?? failing.status, since }),
  CheckFailureChanged: ({ data: { checkId, since, to, evidence } }) =>
    began(checkSubject(checkId), { checkId, url: evidence.url, reason: to.failures[0] ?? to.status, since }),
  CheckRecovered: ({ data: { checkId, since, failedSince, failing, evidence } }) => ({
    kind: 'ended',
    subject: checkSubject(checkId),
    at: Date.parse(since),
    failure: {
      checkId,
      url: evidence.url,
      reason: failing.failures[0] ?? failing.status,
      since: Date.parse(failedSince),
      until: Date.parse(since),
    },
  }),
  CheckDeleted: ({ data, meta }) => monitoringEnded(checkSubject(data.checkId), meta.occurredAt),
  CheckSwitched: ({ data, meta }) => (data.to ? null : monitoringEnded(checkSubject(data.checkId), meta.occurredAt)),
  UptimeWentDown: ({ data: { since, outcome, evidence } }) =>
    began('uptime', { checkId: null, url: evidence.url, reason: evidence.reason ?? outcome, since }),
  UptimeWentUp: ({ data: { since, downSince, outcome, evidence } }) => ({
    kind: 'ended',
    subject: 'uptime',
    at: Date.parse(since),
    failure: { checkId: null, url: evidence.url, reason: outcome, since: Date.parse(downSince), until: Date.parse(since) },
  }),
  UptimePeriodChanged: ({ data, meta }) => (data.to === 'false' ? monitoringEnded('uptime', meta.occurredAt) : null),
};

const began = (subject: string, { since, ...rest }: Omit<FoundFailure, 'since' | 'until'> & { readonly since: string }): FailureChange => ({
  kind: 'began',
  subject,
  failure: { ...rest, since: Date.parse(since), until: null },
});

const monitoringEnded = (subject: string, at: string): FailureChange => ({ kind: 'ended', subject, failure: null, at: Date.parse(at) });

/** The failures within a span, longest first. `openToday` adds those that began before it and have not ended. */
export function failuresIn(
  events: Iterable<LogEvent>,
  openToday: readonly OpenFailure[],
  { from, to }: ReportSpan,
): readonly FoundFailure[] {
  const open = new Map(openToday.filter(({ failure }) => failure.since < from).map(({ subject, failure }) => [subject, failure]));
  const seenSubjects = new Set<string>();
  const ended: FoundFailure[] = [];
  for (const event of events) {
    const change = changeIn(event);
    if (change === null) continue;
    const isFirst = !seenSubjects.has(change.subject);
    seenSubjects.add(change.subject);
    if (change.kind === 'began') {
      // A failure open since before the week keeps its start when its reasons change.
      if (!open.has(change.subject)) open.set(change.subject, change.failure);
      continue;
    }
    // A failure that ends within the week is another one than the failure open today.
    const known = isFirst ? undefined : open.get(change.subject);
    open.delete(change.subject);
    // The recovery event states the start; a change in between may be the only other event within the week.
    const failure = change.failure ?? known;
    if (failure !== undefined) ended.push({ ...failure, reason: known?.reason ?? failure.reason, until: change.at });
  }
  const lasted = ({ since, until }: FoundFailure): number => (until ?? to) - Math.max(since, from);
  return [...ended, ...open.values()].sort((one, other) => lasted(other) - lasted(one) || one.since - other.since);
}

export const concernsFailures = ({ type }: LogEvent): boolean => Object.hasOwn(handlers, type);

function changeIn(event: LogEvent): FailureChange | null {
  if (!concernsFailures(event)) return null;
  // The table's key and the event's type agree; the compiler cannot follow that through the lookup.
  const handler = handlers[event.type as HandledType] as (event: LogEvent) => FailureChange | null;
  return handler(upcast(event));
}
