import type { CertificateEvents } from '../../../domain/certificate/certificate.events.ts';
import type { DaysEvents } from '../../../domain/days/days.events.ts';
import type { ProbeEvents } from '../../../domain/probe/probe.events.ts';
import type { RedirectEvents } from '../../../domain/redirect/redirect.events.ts';
import type { UptimeEvents } from '../../../domain/uptime/uptime.events.ts';
import type { Sentences } from './sentence.ts';

const why = (reason: string | null): string => (reason === null ? '' : `: ${reason}`);

export const probeSentences = {
  ProbeStarted: ({ purpose, url, location, confirming }) =>
    `${confirming ? 'A confirming look' : 'A look'} at the ${purpose} of ${url} from ${location}`,
  RunStarted: ({ checkId, location, confirming }, names) =>
    `${confirming ? 'A confirming run' : 'A scheduled run'} of the check ${names.check(checkId)} from ${location}`,
} satisfies Sentences<ProbeEvents>;

export const uptimeSentences = {
  UptimeBegan: ({ evidence }) => `${evidence.url} answered for the first time`,
  UptimeSuspected: ({ evidence }) => `${evidence.url} may be down${why(evidence.reason)}`,
  UptimeSuspicionCleared: ({ because, evidence }) =>
    because === 'answered'
      ? `${evidence.url} answers: the failure before was not confirmed`
      : `Nothing confirmed the failure of ${evidence.url} in time`,
  UptimeWentDown: ({ since, outcome, evidence }) =>
    `${evidence.url} ${outcome === 'timeout' ? 'does not answer in time' : 'is down'} since ${since}${why(evidence.reason)}`,
  UptimeFailureChanged: ({ from, to, evidence }) =>
    `${evidence.url} is still failing, with ${to} instead of ${from}${why(evidence.reason)}`,
  UptimeWentUp: ({ downSince, evidence }) => `${evidence.url} is up again; it was down since ${downSince}`,
  UptimeInstabilityOpened: ({ unconfirmed }) =>
    `Uptime is unstable: ${String(unconfirmed)} unconfirmed failures within an hour, counted from here on`,
  UptimeInstabilityCounted: ({ unconfirmed }) => `${String(unconfirmed)} unconfirmed uptime failures within the hour`,
  UptimeInstabilityClosed: () => 'Uptime is calm again',
} satisfies Sentences<UptimeEvents>;

export const certificateSentences = {
  CertificateSeen: ({ certificate, previous }) =>
    `${previous === null ? 'Certificate' : 'Another certificate'} of ${certificate.host} seen, valid until ${certificate.validTo}`,
  CertificateDistrusted: ({ host, problem }) => `The certificate of ${host} does not verify: ${problem}`,
  CertificateExpiryApproached: ({ host, daysLeft }) => `The certificate of ${host} expires in ${String(daysLeft)} days`,
  CertificateExpired: ({ host, validTo }) => `The certificate of ${host} expired on ${validTo}`,
  CertificateLookFailed: ({ host, reason }) => `The certificate of ${host} could not be looked at: ${reason}`,
} satisfies Sentences<CertificateEvents>;

export const redirectSentences = {
  RedirectVerified: ({ url, finalUrl }) => `${url} leads to ${finalUrl ?? 'https'}`,
  RedirectFailed: ({ url, finalUrl }) => `${url} does not lead to https: it ends on ${finalUrl ?? 'nothing'}`,
  RedirectUnreachable: ({ url, reason }) => `${url} does not answer${why(reason)}`,
} satisfies Sentences<RedirectEvents>;

export const daysSentences = {
  UptimeDayClosed: ({ day, samples }) => `The uptime of ${day} is closed: ${String(samples)} probes`,
  ResponseTimesDayClosed: ({ day, samples }) => `The response times of ${day} are closed: ${String(samples)} probes`,
} satisfies Sentences<DaysEvents>;
