import { HIDDEN } from '../../checker/evidence/hidden-headers.ts';
import { MASK } from '../../kernel/text.ts';
import { nameOfRule } from '../../checker/runs/run-request.ts';
import type { CertificateEvents } from '../../watches/certificate/certificate.events.ts';
import type { RedirectFound } from '../../watches/redirect/redirect.events.ts';
import { redirectStatus } from '../../watches/redirect/redirect-status.ts';
import { classify } from '../../platform/observations/samples/probe-outcome.ts';
import type { Evidence } from '../../watches/uptime/uptime.events.ts';
import type { Failing } from '../../checker/verdicts/verdict.events.ts';
import { same } from '../../kernel/change.ts';
import type { SealedEvent } from '../../client/proofs/leaf.ts';
import type { Exchange } from '../../platform/observations/exchanges/exchange.ts';

export const hasHiddenParts = (text: string): boolean => text.includes(MASK) || text.includes(HIDDEN);

/** Whether `masked` is `text`, or `text` with masks in place of parts of it. In linear time. */
export function isMaskedFormOf(masked: string, text: string): boolean {
  if (masked === text) return true;
  const parts = masked.replaceAll(HIDDEN, MASK).split(MASK);
  const [first = '', ...middle] = parts;
  const last = middle.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const part of middle) {
    // A mask stands for one character at least.
    const found = text.indexOf(part, at + 1);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.endsWith(last) && text.length - last.length > at;
}

interface Referring {
  readonly exchange?: string;
  readonly evidence?: { readonly exchange?: string };
}

/** The seal covers the data of an event, and its type fixes their shape. */
const dataOf = <Data>({ data }: SealedEvent): Data => data as Data;

export function exchangeNamedBy(event: SealedEvent): string | undefined {
  const { evidence, exchange } = dataOf<Referring>(event);
  return evidence?.exchange ?? exchange;
}

const KINDS = { Check: 'check', Uptime: 'uptime', Certificate: 'certificate', Redirect: 'redirect' } as const;

const PROBLEMS = {
  check: problemOfCheck,
  uptime: problemOfUptime,
  certificate: problemOfCertificate,
  redirect: problemOfRedirect,
} as const;

/** What the event states has to be what the exchange found. Null where it is; a text: what differs. */
export function statementProblem(event: SealedEvent, exchange: Exchange): string | null {
  const [, kind] = Object.entries(KINDS).find(([name]) => event.type.startsWith(name)) ?? [];
  if (kind !== exchange.kind) return `the event is ${event.type}, the exchange is one of kind ${exchange.kind}`;
  return PROBLEMS[kind](event, exchange);
}

const difference = (stated: unknown, found: unknown): string =>
  `the event states ${JSON.stringify(stated)}, the exchange found ${JSON.stringify(found)}`;
const unlessSame = (stated: unknown, found: unknown): string | null => (same(stated, found) ? null : difference(stated, found));

const PASSING = ['CheckPassed', 'CheckRecovered', 'CheckSuspicionCleared'];

function problemOfCheck(event: SealedEvent, exchange: Exchange): string | null {
  const { to, failing } = dataOf<{ readonly to?: Failing; readonly failing?: Failing }>(event);
  const stated = PASSING.includes(event.type) ? null : (to ?? failing ?? null);
  const found = failingIn(exchange, stated);
  if (stated === null || found === null) return unlessSame(stated, found);
  const { failures, ...facts } = stated;
  const { failures: sentences, ...others } = found;
  const isStated = same(facts, others) && failures.length === sentences.length;
  return isStated && sentences.every((sentence, nth) => isMasked(failures[nth] ?? '', sentence)) ? null : difference(stated, found);
}

function failingIn({ outcome, reason, judged }: Exchange, stated: Failing | null): Failing | null {
  // Without an answer no rule is judged: the event names how the fetch failed, and the reason says so in words.
  if (judged === null)
    return { status: outcome === 'timedOut' ? 'timeout' : 'error', rules: stated?.rules ?? [], failures: [reason ?? ''] };
  if (judged.failures.length === 0) return null;
  const names = judged.failures.map(({ rule }) => {
    const named = rule === null ? undefined : judged.rules[rule];
    return named === undefined ? 'page' : nameOfRule(named);
  });
  return { status: 'error', rules: [...new Set(names)].sort(), failures: judged.failures.map(({ sentence }) => sentence) };
}

function problemOfUptime(event: SealedEvent, { answer, outcome, reason }: Exchange): string | null {
  const stated = dataOf<{ readonly evidence: Evidence }>(event).evidence;
  const found = classify(
    answer === null
      ? { kind: outcome === 'timedOut' ? 'timedOut' : 'failed', reason: reason ?? '' }
      : { kind: 'answered', status: answer.status },
  );
  const shown = { outcome: stated.outcome, httpStatus: stated.httpStatus };
  return unlessSame(shown, { outcome: found.outcome, httpStatus: found.httpStatus }) ?? differentReason(stated.reason, found.reason);
}

type CertificateData = Partial<
  CertificateEvents['CertificateSeen'] & CertificateEvents['CertificateExpired'] & CertificateEvents['CertificateLookFailed']
>;

/** The fingerprint, and why a certificate is not trusted, are no part of the exchange. */
function problemOfCertificate(event: SealedEvent, { certificate, answer, reason }: Exchange): string | null {
  const { certificate: seen, validTo, reason: stated } = dataOf<CertificateData>(event);
  if (event.type === 'CertificateLookFailed') {
    if (certificate !== null) return difference(null, certificate);
    return differentReason(stated ?? null, answer === null ? reason : 'no certificate was shown');
  }
  if (certificate === null) return `the event states a certificate, the exchange has none`;
  const { issuer, names } = certificate;
  const found = { issuer, names, validTo: certificate.validTo };
  if (seen !== undefined) return unlessSame({ issuer: seen.issuer, names: seen.names, validTo: seen.validTo }, found);
  return validTo === undefined ? null : unlessSame(validTo, certificate.validTo);
}

const REDIRECT_EVENTS = { ok: 'RedirectVerified', failed: 'RedirectFailed', unreachable: 'RedirectUnreachable' } as const;

function problemOfRedirect(event: SealedEvent, { answer, redirects, request, reason }: Exchange): string | null {
  const stated = dataOf<RedirectFound>(event);
  const type = REDIRECT_EVENTS[redirectStatus(stated.url, stated.finalUrl)];
  if (type !== event.type) return `the event is ${event.type}, an end at ${stated.finalUrl ?? 'no answer'} is ${type}`;
  // A server that redirects has answered, even if its target cannot be fetched, and so has one whose answer breaks off.
  if (stated.finalUrl !== null) return differentUrl(stated.finalUrl, answer?.url ?? redirects.at(-1)?.to ?? request?.url ?? null);
  return answer === null && redirects.length === 0
    ? differentReason(stated.reason, reason)
    : difference(null, answer?.url ?? redirects.at(-1)?.to);
}

const isMasked = (stated: string | null, found: string | null): boolean =>
  stated === found || (stated !== null && found !== null && isMaskedFormOf(found, stated));
const differentUrl = (stated: string, found: string | null): string | null => (isMasked(stated, found) ? null : difference(stated, found));
const differentReason = (stated: string | null, found: string | null): string | null =>
  isMasked(stated, found) ? null : difference(stated, found);
