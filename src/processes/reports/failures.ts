import { type LogEventOf, upcast } from '../../domain/events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { ReportSpan } from './week.ts';

/** A failure of a week, before anybody knows what its check is called today. */
export interface FoundFailure {
  readonly checkId: string | null;
  readonly url: string;
  readonly words: string;
  readonly since: number;
  readonly until: number | null;
}

/** A failure that began before the week and of which the week's events say nothing. */
export interface Standing {
  /** `check <id>`, or `uptime`. */
  readonly subject: string;
  readonly failure: FoundFailure;
}

type Seen =
  | ({ readonly kind: 'began' } & Standing)
  | { readonly kind: 'ended'; readonly subject: string; readonly failure: FoundFailure | null; readonly at: number };

type Told =
  | 'CheckFailed'
  | 'CheckFailureChanged'
  | 'CheckRecovered'
  | 'CheckDeleted'
  | 'CheckSwitched'
  | 'UptimeWentDown'
  | 'UptimeWentUp'
  | 'UptimePeriodChanged';
type Handlers = { readonly [Type in Told]: (event: LogEventOf<Type>) => Seen | null };

const checkSubject = (checkId: string): string => `check ${checkId}`;

const handlers: Handlers = {
  CheckFailed: ({ data: { checkId, since, failing, evidence } }) =>
    began(checkSubject(checkId), { checkId, url: evidence.url, words: failing.failures[0] ?? failing.status, since }),
  CheckFailureChanged: ({ data: { checkId, since, to, evidence } }) =>
    began(checkSubject(checkId), { checkId, url: evidence.url, words: to.failures[0] ?? to.status, since }),
  CheckRecovered: ({ data: { checkId, since, failedSince, failing, evidence } }) => ({
    kind: 'ended',
    subject: checkSubject(checkId),
    at: Date.parse(since),
    failure: {
      checkId,
      url: evidence.url,
      words: failing.failures[0] ?? failing.status,
      since: Date.parse(failedSince),
      until: Date.parse(since),
    },
  }),
  CheckDeleted: ({ data, meta }) => watchedNoLonger(checkSubject(data.checkId), meta.occurredAt),
  CheckSwitched: ({ data, meta }) => (data.to ? null : watchedNoLonger(checkSubject(data.checkId), meta.occurredAt)),
  UptimeWentDown: ({ data: { since, outcome, evidence } }) =>
    began('uptime', { checkId: null, url: evidence.url, words: evidence.reason ?? outcome, since }),
  UptimeWentUp: ({ data: { since, downSince, outcome, evidence } }) => ({
    kind: 'ended',
    subject: 'uptime',
    at: Date.parse(since),
    failure: { checkId: null, url: evidence.url, words: outcome, since: Date.parse(downSince), until: Date.parse(since) },
  }),
  UptimePeriodChanged: ({ data, meta }) => (data.to === 'false' ? watchedNoLonger('uptime', meta.occurredAt) : null),
};

const began = (subject: string, { since, ...rest }: Omit<FoundFailure, 'since' | 'until'> & { readonly since: string }): Seen => ({
  kind: 'began',
  subject,
  failure: { ...rest, since: Date.parse(since), until: null },
});

const watchedNoLonger = (subject: string, at: string): Seen => ({ kind: 'ended', subject, failure: null, at: Date.parse(at) });

/** The failures that lay in a span, the longest first. `standing`: what fails today and began before. */
export function failuresIn(events: Iterable<LogEvent>, standing: readonly Standing[], { from, to }: ReportSpan): readonly FoundFailure[] {
  const open = new Map(standing.filter(({ failure }) => failure.since < from).map(({ subject, failure }) => [subject, failure]));
  const told = new Set<string>();
  const ended: FoundFailure[] = [];
  for (const event of events) {
    const seen = seenIn(event);
    if (seen === null) continue;
    const isFirst = !told.has(seen.subject);
    told.add(seen.subject);
    if (seen.kind === 'began') {
      // What has stood since before the week changed in it, and began when it began.
      if (!open.has(seen.subject)) open.set(seen.subject, seen.failure);
      continue;
    }
    // What ends in the week is not what stands today.
    const known = isFirst ? undefined : open.get(seen.subject);
    open.delete(seen.subject);
    // The end knows best when it all began: a change in between may be all that this week saw of it before.
    const failure = seen.failure ?? known;
    if (failure !== undefined) ended.push({ ...failure, words: known?.words ?? failure.words, until: seen.at });
  }
  const lasted = ({ since, until }: FoundFailure): number => (until ?? to) - Math.max(since, from);
  return [...ended, ...open.values()].sort((one, other) => lasted(other) - lasted(one) || one.since - other.since);
}

export const tellsOfFailures = ({ type }: LogEvent): boolean => Object.hasOwn(handlers, type);

function seenIn(event: LogEvent): Seen | null {
  if (!tellsOfFailures(event)) return null;
  // The type says which event it is; the compiler cannot follow that through the table.
  const handler = handlers[event.type as Told] as (event: LogEvent) => Seen | null;
  return handler(upcast(event));
}
