import { type LogEventOf, upcast } from '../../events.ts';
import { httpVersionOf } from '../../watches/redirect/redirect-status.ts';
import type { Severity } from '../preferences/preference.settings.ts';
import type { AlertFacts } from '../composing/message.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { type Notices, noticesIn } from './notice-effect.ts';
import { projectIdOf, userIdOf } from '../../kernel/stream-names.ts';

interface AlertSubject {
  /** Key of the episode, such as `check <id>` or `uptime <project>`. */
  readonly subject: string;
  readonly projectId: string;
  readonly facts: AlertFacts;
}

/** What an event means for notifications (docs/spec/decisions.md#N1, #N7). */
export type AlertEffect =
  /** A confirmed failure begins, or turns into another one that counts: every recipient is notified. */
  | ({
      readonly kind: 'problem';
      /** The failure may be the still open one of before: recipients notified of that one are skipped. */
      readonly continues?: boolean;
    } & AlertSubject)
  /** The failure has other reasons now: only recipients not yet notified of it are. Ignored without an open episode. */
  | ({ readonly kind: 'changed' } & AlertSubject)
  | ({ readonly kind: 'recovery' } & AlertSubject)
  /** Monitoring of the subjects ended: no alert, and a later failure starts a new episode. */
  | { readonly kind: 'ended'; readonly subjects: readonly string[] }
  | { readonly kind: 'project ended'; readonly projectId: string }
  | { readonly kind: 'member left'; readonly projectId: string; readonly userId: number }
  | { readonly kind: 'account ended'; readonly userId: number }
  /** Applies to waiting intents, too. */
  | { readonly kind: 'severity changed'; readonly projectId: string; readonly userId: number; readonly to: Severity }
  | { readonly kind: 'delay changed'; readonly userId: number; readonly minutes: number }
  /** The report schedule of this account has to be computed again. */
  | { readonly kind: 'reports changed'; readonly userId: number }
  /** Security notices to the owners of accounts. */
  | { readonly kind: 'notice'; readonly notices: Notices };

type Handlers = { readonly [Type in HandledType]: (event: LogEventOf<Type>) => AlertEffect | null };
type HandledType =
  | 'CheckFailed'
  | 'CheckFailureChanged'
  | 'CheckRecovered'
  | 'CheckSwitched'
  | 'CheckDeleted'
  | 'UptimeWentDown'
  | 'UptimeFailureChanged'
  | 'UptimeWentUp'
  | 'CertificateExpiryApproached'
  | 'CertificateExpiryReceded'
  | 'CertificateExpired'
  | 'CertificateDistrusted'
  | 'CertificateSeen'
  | 'RedirectFailed'
  | 'RedirectVerified'
  | 'ProjectUrlChanged'
  | 'UptimePeriodChanged'
  | 'RedirectWatchSwitched'
  | 'ProjectDeleted'
  | 'MemberRemoved'
  | 'NotificationSeverityChanged'
  | 'NotificationDelayChanged'
  | 'AccountErased'
  | 'AccountOpened'
  | 'EmailConfirmed'
  | 'TimezoneChanged'
  | 'ReportPeriodChanged';

const projectOf = ({ scope }: LogEvent): string => projectIdOf(scope);
const ofCheck = (event: LogEvent, checkId: string) => ({ subject: `check ${checkId}`, projectId: projectOf(event) });
type OfProject = 'uptime' | 'certificate' | 'redirect';
const ofProject = (event: LogEvent, about: OfProject) => ({ subject: `${about} ${projectOf(event)}`, projectId: projectOf(event) });

const ended = (...subjects: readonly string[]): AlertEffect => ({ kind: 'ended', subjects });
const endedOf = (event: LogEvent, ...about: readonly OfProject[]): AlertEffect =>
  ended(...about.map((one) => ofProject(event, one).subject));
const accountOf = ({ scope }: LogEvent): number => userIdOf(scope);
const reportsChanged = (event: LogEvent): AlertEffect => ({ kind: 'reports changed', userId: accountOf(event) });

const handlers: Handlers = {
  CheckFailed: (event) => {
    const { checkId, since, failing, confirmed, evidence } = event.data;
    // A check that failed from its first run notifies only after it has passed once, so no episode is opened.
    if (!confirmed) return ended(`check ${checkId}`);
    const { status, failures } = failing;
    return {
      kind: 'problem',
      ...ofCheck(event, checkId),
      facts: { about: 'check', checkId, status, failures, since, ...evidenceFacts(evidence) },
    };
  },
  CheckFailureChanged: (event) => {
    const { checkId, since, to, evidence } = event.data;
    const facts: AlertFacts = { about: 'check', checkId, status: to.status, failures: to.failures, since, ...evidenceFacts(evidence) };
    return { kind: 'changed', ...ofCheck(event, checkId), facts };
  },
  CheckRecovered: (event) => {
    const { checkId, since, failedSince, evidence } = event.data;
    const facts: AlertFacts = {
      about: 'check',
      checkId,
      status: 'ok',
      failures: [],
      since: failedSince,
      until: since,
      ...evidenceFacts(evidence),
    };
    return { kind: 'recovery', ...ofCheck(event, checkId), facts };
  },
  CheckSwitched: ({ data }) => (data.to ? null : ended(`check ${data.checkId}`)),
  CheckDeleted: ({ data }) => ended(`check ${data.checkId}`),
  UptimeWentDown: (event) => {
    const { since, outcome, before, evidence } = event.data;
    if (before === 'unknown') return null;
    const failures = [evidence.reason ?? (outcome === 'timeout' ? 'no answer in time' : 'no usable answer')];
    const status = outcome === 'timeout' ? 'timeout' : 'error';
    return {
      kind: 'problem',
      ...ofProject(event, 'uptime'),
      facts: { about: 'uptime', status, failures, since, ...evidenceFacts(evidence) },
    };
  },
  UptimeFailureChanged: (event) => {
    const { since, to, evidence } = event.data;
    const status = to === 'timeout' ? 'timeout' : 'error';
    const facts: AlertFacts = { about: 'uptime', status, failures: [evidence.reason ?? to], since, ...evidenceFacts(evidence) };
    return { kind: 'changed', ...ofProject(event, 'uptime'), facts };
  },
  UptimeWentUp: (event) => {
    const { since, downSince, evidence } = event.data;
    const facts: AlertFacts = { about: 'uptime', status: 'ok', failures: [], since: downSince, until: since, ...evidenceFacts(evidence) };
    return { kind: 'recovery', ...ofProject(event, 'uptime'), facts };
  },
  CertificateExpiryApproached: (event) => {
    const { host, validTo, daysLeft } = event.data;
    const words = daysLeft < 1 ? 'in less than a day' : daysLeft === 1 ? 'in 1 day' : `in ${String(daysLeft)} days`;
    return ofCertificate(event, `the certificate of ${host} expires ${words}, on ${validTo.slice(0, 10)}`);
  },
  CertificateExpiryReceded: (event) => {
    const { validTo, alertPeriod } = event.data;
    const period = `${String(alertPeriod)} ${alertPeriod === 1 ? 'day' : 'days'}`;
    return goodCertificate(event, event.data, `it expires on ${validTo.slice(0, 10)}, later than the alert period of ${period}`);
  },
  CertificateExpired: (event) =>
    ofCertificate(event, `the certificate of ${event.data.host} expired on ${event.data.validTo.slice(0, 10)}`),
  CertificateDistrusted: (event) => ofCertificate(event, `the certificate of ${event.data.host} does not verify: ${event.data.problem}`),
  CertificateSeen: (event) => {
    const { certificate, resolves, location, at } = event.data;
    if (resolves === null) return null;
    const { host, validTo } = certificate;
    return goodCertificate(event, { host, location, at }, `a certificate that is good until ${validTo.slice(0, 10)} is in place`);
  },
  RedirectFailed: (event) => {
    const { url, finalUrl, location, at, before } = event.data;
    // The first check of a redirect has no earlier state to compare with; from failed to failed only the final address changed.
    if (before === null || before === 'failed') return null;
    const failures = [`expected the http address to lead to https, it ends on ${finalUrl ?? 'nothing'}`];
    const facts: AlertFacts = { about: 'redirect', status: 'error', failures, since: at, url, at, location };
    // An unreachable site is not reported and ends no episode.
    return { kind: 'problem', continues: before === 'unreachable', ...ofProject(event, 'redirect'), facts };
  },
  RedirectVerified: (event) => {
    const { url, location, at } = event.data;
    const facts: AlertFacts = { about: 'redirect', status: 'ok', failures: [], since: at, until: at, url, at, location };
    return { kind: 'recovery', ...ofProject(event, 'redirect'), facts };
  },
  // An http address has no certificate and no redirect target; an https address on another port has no http version (docs/spec/decisions.md#P9).
  ProjectUrlChanged: (event) => {
    if (!event.data.to.startsWith('https:')) return endedOf(event, 'certificate', 'redirect');
    return httpVersionOf(event.data.to) === null ? endedOf(event, 'redirect') : null;
  },
  UptimePeriodChanged: (event) => (event.data.to === 'false' ? endedOf(event, 'uptime') : null),
  RedirectWatchSwitched: (event) => (event.data.to ? null : endedOf(event, 'redirect')),
  ProjectDeleted: (event) => ({ kind: 'project ended', projectId: projectOf(event) }),
  MemberRemoved: (event) => ({ kind: 'member left', projectId: projectOf(event), userId: event.data.userId }),
  NotificationSeverityChanged: (event) => {
    const { userId, to } = event.data;
    return { kind: 'severity changed', projectId: projectOf(event), userId, to };
  },
  NotificationDelayChanged: (event) => ({ kind: 'delay changed', userId: accountOf(event), minutes: event.data.to }),
  AccountErased: ({ data }) => ({ kind: 'account ended', userId: data.userId }),
  AccountOpened: reportsChanged,
  EmailConfirmed: reportsChanged,
  TimezoneChanged: reportsChanged,
  ReportPeriodChanged: reportsChanged,
};

type CertificateProblem = LogEventOf<'CertificateExpiryApproached' | 'CertificateExpired' | 'CertificateDistrusted'>;

function ofCertificate(event: CertificateProblem, sentence: string): AlertEffect {
  const { host, location, at } = event.data;
  const facts: AlertFacts = {
    about: 'certificate',
    status: 'error',
    failures: [sentence],
    since: at,
    url: `https://${host}`,
    at,
    location,
  };
  return { kind: 'problem', ...ofProject(event, 'certificate'), facts };
}

function goodCertificate(
  event: LogEvent,
  { host, location, at }: { readonly host: string; readonly location: string; readonly at: string },
  sentence: string,
): AlertEffect {
  const facts: AlertFacts = {
    about: 'certificate',
    status: 'ok',
    failures: [sentence],
    since: at,
    until: at,
    url: `https://${host}`,
    at,
    location,
  };
  return { kind: 'recovery', ...ofProject(event, 'certificate'), facts };
}

const evidenceFacts = ({ url, at, location, milliseconds }: { url: string; at: string; location: string; milliseconds: number }) => ({
  url,
  at,
  location,
  milliseconds,
});

/** What a message states leads to the event that states it. */
const withEvent = (effect: AlertEffect | null, { id }: LogEvent): AlertEffect | null =>
  effect !== null && 'facts' in effect ? { ...effect, facts: { ...effect.facts, event: id } } : effect;

/** `unreadable`: the event cannot be upcast or handled until an operator repairs or voids what is wrong. */
export function effectIn(event: LogEvent): AlertEffect | 'unreadable' | null {
  try {
    if (!Object.hasOwn(handlers, event.type)) {
      const notices = noticesIn(event);
      return notices.length === 0 ? null : { kind: 'notice', notices };
    }
    // The table's key and the event's type agree; the compiler cannot follow that through the lookup.
    const handler = handlers[event.type as HandledType] as (event: LogEvent) => AlertEffect | null;
    return withEvent(handler(upcast(event)), event);
  } catch {
    return 'unreadable';
  }
}
