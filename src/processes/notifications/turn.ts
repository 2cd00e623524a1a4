import type { LogEventOf } from '../../domain/events.ts';
import { upcast } from '../../domain/events.ts';
import { httpVersionOf } from '../../domain/redirect/http-version.ts';
import type { Severity } from '../../domain/preference/settings.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Facts } from './facts.ts';

interface Told {
  readonly subject: string;
  readonly projectId: string;
  readonly facts: Facts;
}

/** What an event means for those who want to be told (docs/spec/decisions.md#N1, #N7). */
export type Turn =
  /** A failure that counts begins, or gets worse in a way of its own: everybody is told. */
  | ({
      readonly kind: 'problem';
      /** Perhaps it is the failure of before, to which nothing came that was its end: who was told of that is not told again. */
      readonly goesOn?: boolean;
    } & Told)
  /** It fails otherwise: only who was not told of the failure yet. Nothing where no failure that counts is open. */
  | ({ readonly kind: 'changed' } & Told)
  | ({ readonly kind: 'recovery' } & Told)
  /** Watched no longer: no alarm to anybody, and what begins later begins afresh. */
  | { readonly kind: 'ended'; readonly subjects: readonly string[] }
  | { readonly kind: 'project ended'; readonly projectId: string }
  | { readonly kind: 'member left'; readonly projectId: string; readonly userId: number }
  | { readonly kind: 'account ended'; readonly userId: number }
  /** Counts for what waits already, too. */
  | { readonly kind: 'severity changed'; readonly projectId: string; readonly userId: number; readonly to: Severity }
  | { readonly kind: 'delay changed'; readonly userId: number; readonly minutes: number }
  /** Whether and when this account gets reports has to be looked at again. */
  | { readonly kind: 'reports changed'; readonly userId: number };

type Handlers = { readonly [Type in Handled]: (event: LogEventOf<Type>) => Turn | null };
type Handled =
  | 'CheckFailed'
  | 'CheckFailureChanged'
  | 'CheckRecovered'
  | 'CheckSwitched'
  | 'CheckDeleted'
  | 'UptimeWentDown'
  | 'UptimeFailureChanged'
  | 'UptimeWentUp'
  | 'CertificateExpiryApproached'
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

const projectOf = ({ scope }: LogEvent): string => scope.slice('project-'.length);
const ofCheck = (event: LogEvent, checkId: string) => ({ subject: `check ${checkId}`, projectId: projectOf(event) });
type OfProject = 'uptime' | 'certificate' | 'redirect';
const ofProject = (event: LogEvent, about: OfProject) => ({ subject: `${about} ${projectOf(event)}`, projectId: projectOf(event) });

const ended = (...subjects: readonly string[]): Turn => ({ kind: 'ended', subjects });
const endedOf = (event: LogEvent, ...about: readonly OfProject[]): Turn => ended(...about.map((one) => ofProject(event, one).subject));
const accountOf = ({ scope }: LogEvent): number => Number(scope.slice('account-'.length));
const reportsChanged = (event: LogEvent): Turn => ({ kind: 'reports changed', userId: accountOf(event) });

const handlers: Handlers = {
  CheckFailed: (event) => {
    const { checkId, since, failing, confirmed, evidence } = event.data;
    // Its very first run failed: nobody is told until it once passed, and there is no failure that a recovery could end.
    if (!confirmed) return ended(`check ${checkId}`);
    const { status, failures } = failing;
    return { kind: 'problem', ...ofCheck(event, checkId), facts: { about: 'check', checkId, status, failures, since, ...seen(evidence) } };
  },
  CheckFailureChanged: (event) => {
    const { checkId, since, to, evidence } = event.data;
    const facts: Facts = { about: 'check', checkId, status: to.status, failures: to.failures, since, ...seen(evidence) };
    return { kind: 'changed', ...ofCheck(event, checkId), facts };
  },
  CheckRecovered: (event) => {
    const { checkId, since, failedSince, evidence } = event.data;
    const facts: Facts = { about: 'check', checkId, status: 'ok', failures: [], since: failedSince, until: since, ...seen(evidence) };
    return { kind: 'recovery', ...ofCheck(event, checkId), facts };
  },
  CheckSwitched: ({ data }) => (data.to ? null : ended(`check ${data.checkId}`)),
  CheckDeleted: ({ data }) => ended(`check ${data.checkId}`),
  UptimeWentDown: (event) => {
    const { since, outcome, before, evidence } = event.data;
    if (before === 'unknown') return null;
    const failures = [evidence.reason ?? (outcome === 'timeout' ? 'no answer in time' : 'no usable answer')];
    const status = outcome === 'timeout' ? 'timeout' : 'error';
    return { kind: 'problem', ...ofProject(event, 'uptime'), facts: { about: 'uptime', status, failures, since, ...seen(evidence) } };
  },
  UptimeFailureChanged: (event) => {
    const { since, to, evidence } = event.data;
    const status = to === 'timeout' ? 'timeout' : 'error';
    const facts: Facts = { about: 'uptime', status, failures: [evidence.reason ?? to], since, ...seen(evidence) };
    return { kind: 'changed', ...ofProject(event, 'uptime'), facts };
  },
  UptimeWentUp: (event) => {
    const { since, downSince, evidence } = event.data;
    const facts: Facts = { about: 'uptime', status: 'ok', failures: [], since: downSince, until: since, ...seen(evidence) };
    return { kind: 'recovery', ...ofProject(event, 'uptime'), facts };
  },
  CertificateExpiryApproached: (event) => {
    const { host, validTo, daysLeft } = event.data;
    const words = daysLeft < 1 ? 'in less than a day' : daysLeft === 1 ? 'in 1 day' : `in ${String(daysLeft)} days`;
    return ofCertificate(event, `the certificate of ${host} expires ${words}, on ${validTo.slice(0, 10)}`);
  },
  CertificateExpired: (event) =>
    ofCertificate(event, `the certificate of ${event.data.host} expired on ${event.data.validTo.slice(0, 10)}`),
  CertificateDistrusted: (event) => ofCertificate(event, `the certificate of ${event.data.host} does not verify: ${event.data.problem}`),
  CertificateSeen: (event) => {
    const { certificate, resolves, location, at } = event.data;
    if (resolves === null) return null;
    const failures = [`a certificate that is good until ${certificate.validTo.slice(0, 10)} is in place`];
    const facts: Facts = {
      about: 'certificate',
      status: 'ok',
      failures,
      since: at,
      until: at,
      url: `https://${certificate.host}`,
      at,
      location,
    };
    return { kind: 'recovery', ...ofProject(event, 'certificate'), facts };
  },
  RedirectFailed: (event) => {
    const { url, finalUrl, location, at, before } = event.data;
    // Of a first look nobody was used to anything better; from failed to failed only the place changed.
    if (before === null || before === 'failed') return null;
    const failures = [`expected the http address to lead to https, it ends on ${finalUrl ?? 'nothing'}`];
    const facts: Facts = { about: 'redirect', status: 'error', failures, since: at, url, at, location };
    // Nobody answered meanwhile, which is told to nobody and ends nothing.
    return { kind: 'problem', goesOn: before === 'unreachable', ...ofProject(event, 'redirect'), facts };
  },
  RedirectVerified: (event) => {
    const { url, location, at } = event.data;
    const facts: Facts = { about: 'redirect', status: 'ok', failures: [], since: at, until: at, url, at, location };
    return { kind: 'recovery', ...ofProject(event, 'redirect'), facts };
  },
  // Without TLS there is neither a certificate nor anything to lead to; on a port of its own there is nothing that leads to it (docs/spec/decisions.md#P9).
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

type Ending = LogEventOf<'CertificateExpiryApproached' | 'CertificateExpired' | 'CertificateDistrusted'>;

function ofCertificate(event: Ending, sentence: string): Turn {
  const { host, location, at } = event.data;
  const facts: Facts = { about: 'certificate', status: 'error', failures: [sentence], since: at, url: `https://${host}`, at, location };
  return { kind: 'problem', ...ofProject(event, 'certificate'), facts };
}

const seen = ({ url, at, location, milliseconds }: { url: string; at: string; location: string; milliseconds: number }) => ({
  url,
  at,
  location,
  milliseconds,
});

/** Unreadable: nobody knows what it means, until it is mended or voided. */
export function turnIn(event: LogEvent): Turn | 'unreadable' | null {
  try {
    return turnOf(event);
  } catch {
    return 'unreadable';
  }
}

/** Null: nobody has to hear of it. */
function turnOf(event: LogEvent): Turn | null {
  if (!Object.hasOwn(handlers, event.type)) return null;
  // The type says which event it is; the compiler cannot follow that through the table.
  const handler = handlers[event.type as Handled] as (event: LogEvent) => Turn | null;
  return handler(upcast(event));
}
