import type { Events } from '../../../src/events.ts';
import type { LogEvent } from '../../../src/kernel/event.ts';
import { changeOf } from '../sim-receiver.ts';
import { projectIdOf } from '../../../src/kernel/stream-names.ts';

/** A message that must be delivered. */
export interface ExpectedMessage {
  readonly kind: 'problem' | 'recovery';
  readonly change: string;
  readonly projectId: string;
  readonly at: number;
  /** For a recovery: the failures of which one must have been reported before. */
  readonly follows: readonly string[] | null;
  /** Clocks that are wrong give the same name to changes that are minutes apart. */
  times: number;
  /** When it ended or became irrelevant. */
  until: number;
}

type About = 'check' | 'uptime' | 'certificate' | 'redirect';

/** The messages that the log requires: confirmed failures and their recoveries. */
export function expectedOf(events: readonly LogEvent[]): ReadonlyMap<string, ExpectedMessage> {
  const all = new ExpectedMessages();
  for (const event of events) if (Object.hasOwn(readers, event.type)) readers[event.type]?.(all, event);
  return all.expected;
}

class ExpectedMessages {
  readonly expected = new Map<string, ExpectedMessage>();
  private readonly open = new Map<string, ExpectedMessage[]>();

  problem(event: LogEvent, about: About, since: string, testId: string | null = null): void {
    const one = this.expect(event, 'problem', { about, testId, since, until: null }, null);
    const subject = subjectOf(event, about, testId);
    this.open.set(subject, [...(this.open.get(subject) ?? []), one]);
  }

  isOpen(event: LogEvent, about: About): boolean {
    return this.open.has(subjectOf(event, about, null));
  }

  recovery(event: LogEvent, about: About, since: string, until: string, testId: string | null = null): void {
    const failures = this.over(event, about, testId);
    if (failures.length > 0)
      this.expect(
        event,
        'recovery',
        { about, testId, since, until },
        failures.map(({ change }) => change),
      );
  }

  /** Returns the open failures. */
  over(event: LogEvent, about: About, testId: string | null = null): readonly ExpectedMessage[] {
    const failures = this.open.get(subjectOf(event, about, testId)) ?? [];
    this.open.delete(subjectOf(event, about, testId));
    for (const failure of failures) failure.until = Date.parse(event.recordedAt);
    return failures;
  }

  private expect(
    event: LogEvent,
    kind: ExpectedMessage['kind'],
    item: Parameters<typeof changeOf>[2],
    follows: ExpectedMessage['follows'],
  ): ExpectedMessage {
    const projectId = projectOf(event);
    const change = changeOf(kind, projectId, item);
    const times = (this.expected.get(change)?.times ?? 0) + 1;
    const one: ExpectedMessage = { times, kind, change, projectId, at: Date.parse(event.recordedAt), follows, until: Infinity };
    this.expected.set(change, one);
    return one;
  }
}

const projectOf = ({ scope }: LogEvent): string => projectIdOf(scope);
const subjectOf = (event: LogEvent, about: About, testId: string | null): string => `${about} ${testId ?? projectOf(event)}`;

type Reader<Type extends keyof Events> = (all: ExpectedMessages, event: LogEvent, data: Events[Type]) => void;
const reading =
  <Type extends keyof Events>(read: Reader<Type>) =>
  (all: ExpectedMessages, event: LogEvent): void => {
    read(all, event, event.data as Events[Type]);
  };

const readers: Readonly<Record<string, (all: ExpectedMessages, event: LogEvent) => void>> = {
  CheckFailed: reading<'CheckFailed'>((all, event, { checkId, since, confirmed }) => {
    if (confirmed) all.problem(event, 'check', since, checkId);
  }),
  CheckRecovered: reading<'CheckRecovered'>((all, event, { checkId, since, failedSince }) => {
    all.recovery(event, 'check', failedSince, since, checkId);
  }),
  CheckSwitched: reading<'CheckSwitched'>((all, event, { checkId, to }) => {
    if (!to) all.over(event, 'check', checkId);
  }),
  CheckDeleted: reading<'CheckDeleted'>((all, event, { checkId }) => {
    all.over(event, 'check', checkId);
  }),
  UptimeWentDown: reading<'UptimeWentDown'>((all, event, { since, before }) => {
    if (before !== 'unknown') all.problem(event, 'uptime', since);
  }),
  UptimeWentUp: reading<'UptimeWentUp'>((all, event, { since, downSince }) => {
    all.recovery(event, 'uptime', downSince, since);
  }),
  CertificateExpiryApproached: reading<'CertificateExpiryApproached'>((all, event, { at }) => {
    all.problem(event, 'certificate', at);
  }),
  CertificateExpiryReceded: reading<'CertificateExpiryReceded'>((all, event, { at }) => {
    all.recovery(event, 'certificate', at, at);
  }),
  CertificateExpired: reading<'CertificateExpired'>((all, event, { at }) => {
    all.problem(event, 'certificate', at);
  }),
  CertificateSeen: reading<'CertificateSeen'>((all, event, { resolves, at }) => {
    if (resolves !== null) all.recovery(event, 'certificate', at, at);
  }),
  RedirectFailed: reading<'RedirectFailed'>((all, event, { before, at }) => {
    // An unreachable site does not end a failure.
    const goesOn = before === 'unreachable' && all.isOpen(event, 'redirect');
    if (before !== null && before !== 'failed' && !goesOn) all.problem(event, 'redirect', at);
  }),
  RedirectVerified: reading<'RedirectVerified'>((all, event, { at }) => {
    all.recovery(event, 'redirect', at, at);
  }),
};
