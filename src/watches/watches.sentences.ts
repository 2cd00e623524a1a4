import type { CertificateEvents } from './certificate/certificate.events.ts';
import type { DaysEvents } from './days/days.events.ts';
import type { ImportedUptimeEvents } from './imported-uptime/imported-uptime.events.ts';
import type { RedirectEvents } from './redirect/redirect.events.ts';
import type { UptimeEvents } from './uptime/uptime.events.ts';
import { pluralized, type Sentences } from '../kernel/sentence.ts';

const why = (reason: string | null): string => (reason === null ? '' : `: ${reason}`);

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
  CertificateExpiryReceded: ({ host, daysLeft, alertPeriod }) =>
    `The certificate of ${host} expires in ${pluralized(daysLeft, 'day')}, later than the alert period of ${pluralized(alertPeriod, 'day')}`,
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

export const importedUptimeSentences = {
  UptimeImported: ({ origin, from, up }) => `Uptime of ${pluralized(up.length, 'day')} from ${from} ${origin.replace(':', ' from ')}`,
  ImportedUptimeRemoved: ({ origin }) => `Uptime ${origin.replace(':', ' from ')} removed`,
} satisfies Sentences<ImportedUptimeEvents>;
