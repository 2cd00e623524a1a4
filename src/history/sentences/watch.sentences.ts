import type { AccessEvents, AccessKind } from '../../accounts/accesses/access.events.ts';
import type { CertificateEvents } from '../../watches/certificate/certificate.events.ts';
import type { DaysEvents } from '../../watches/days/days.events.ts';
import type { ProbeEvents } from '../../checker/probe.events.ts';
import type { RedirectEvents } from '../../watches/redirect/redirect.events.ts';
import type { UptimeEvents } from '../../watches/uptime/uptime.events.ts';
import { pluralized, type Sentences } from './sentence.ts';

const why = (reason: string | null): string => (reason === null ? '' : `: ${reason}`);

export const probeSentences = {
  ProbeStarted: ({ purpose, url, location, confirming }) =>
    `${confirming ? 'Confirming probe' : 'Probe'} of the ${purpose} of ${url} from ${location} started`,
  RunStarted: ({ checkId, location, confirming }, names) =>
    `${confirming ? 'Confirming run' : 'Scheduled run'} of check ${names.check(checkId)} from ${location} started`,
} satisfies Sentences<ProbeEvents>;

export const uptimeSentences = {
  UptimeBegan: ({ evidence }) => `${evidence.url} answered for the first time`,
  UptimeSuspected: ({ evidence }) => `${evidence.url} may be down${why(evidence.reason)}`,
  UptimeSuspicionCleared: ({ because, evidence }) =>
    because === 'answered'
      ? `${evidence.url} answers: the suspected failure was not confirmed`
      : `The suspected failure of ${evidence.url} was not confirmed in time`,
  UptimeWentDown: ({ since, outcome, evidence }) =>
    `${evidence.url} ${outcome === 'timeout' ? 'has not answered in time' : 'has been down'} since ${since}${why(evidence.reason)}`,
  UptimeFailureChanged: ({ from, to, evidence }) =>
    `${evidence.url} is still failing, with ${to} instead of ${from}${why(evidence.reason)}`,
  UptimeWentUp: ({ downSince, evidence }) => `${evidence.url} is up again after being down since ${downSince}`,
  UptimeInstabilityOpened: ({ unconfirmed }) => `Uptime is unstable: ${String(unconfirmed)} unconfirmed failures within an hour`,
  UptimeInstabilityCounted: ({ unconfirmed }) => `${String(unconfirmed)} unconfirmed uptime failures within the hour`,
  UptimeInstabilityClosed: () => 'Uptime is stable again',
} satisfies Sentences<UptimeEvents>;

export const certificateSentences = {
  CertificateSeen: ({ certificate, previous }) =>
    `${previous === null ? 'Certificate' : 'New certificate'} of ${certificate.host} seen, valid until ${certificate.validTo}`,
  CertificateDistrusted: ({ host, problem }) => `The certificate of ${host} is not trusted: ${problem}`,
  CertificateExpiryApproached: ({ host, daysLeft }) => `The certificate of ${host} expires in ${pluralized(daysLeft, 'day')}`,
  CertificateExpired: ({ host, validTo }) => `The certificate of ${host} expired on ${validTo}`,
  CertificateLookFailed: ({ host, reason }) => `The certificate of ${host} could not be read: ${reason}`,
} satisfies Sentences<CertificateEvents>;

export const redirectSentences = {
  RedirectVerified: ({ url, finalUrl }) => `${url} redirects to ${finalUrl ?? 'https'}`,
  RedirectFailed: ({ url, finalUrl }) => `${url} does not redirect to https: it ends at ${finalUrl ?? 'no page'}`,
  RedirectUnreachable: ({ url, reason }) => `${url} does not answer${why(reason)}`,
} satisfies Sentences<RedirectEvents>;

export const daysSentences = {
  UptimeDayClosed: ({ day, samples }) => `Uptime of ${day} closed with ${pluralized(samples, 'probe')}`,
  ResponseTimesDayClosed: ({ day, samples }) => `Response times of ${day} closed with ${pluralized(samples, 'probe')}`,
} satisfies Sentences<DaysEvents>;

const accessed: Readonly<Record<AccessKind, string>> = {
  export: 'An export',
  statement: 'A statement',
  evidence: 'Evidence',
  proof: 'A proof',
  read: 'The record',
};

export const accessSentences = {
  RecordAccessed: ({ kind, day }) => `${accessed[kind]} was read on ${day}`,
  RecordAccessesCounted: ({ kind, day, count }) => `${accessed[kind]} was read ${pluralized(count, 'time')} on ${day}`,
} satisfies Sentences<AccessEvents>;
