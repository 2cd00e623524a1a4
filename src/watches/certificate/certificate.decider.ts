import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { ProbeEvents } from '../../checker/probe.events.ts';
import type { CertificateEvents, CertificateFacts, CertificateTrouble } from './certificate.events.ts';
import { daysLeft, type Endpoint, isExpired, isSoon } from './certificate-status.ts';
import { certificateStream, projectStream } from '../../kernel/stream-names.ts';

type Written = CertificateEvents & Pick<ProbeEvents, 'ProbeStarted'>;
export type CertificateEvent = EventOf<Written>;

interface Warned {
  readonly of: 'soon' | 'expired';
  /** The one that `soon` was recorded under. */
  readonly alertPeriod: number;
}

export interface Certificate {
  readonly current: CertificateFacts | null;
  readonly seenAt: string | null;
  readonly failure: (Endpoint & { readonly reason: string }) | null;
  /** Latest last. Several servers behind one name may show several certificates in turn. */
  readonly warned: ReadonlyMap<string, Warned>;
  readonly known: readonly string[];
}

const initial: Certificate = { current: null, seenAt: null, failure: null, warned: new Map(), known: [] };
const REMEMBERED = 16;
/** A certificate that was seen before replaces the current one only when that has stood this long: two servers in turn are no news at every probe. */
const STEADY = 3600_000;

function evolve(state: Certificate, event: CertificateEvent): Certificate {
  switch (event.type) {
    case 'CertificateSeen': {
      const { certificate, at } = event.data;
      const known = [...state.known.filter((one) => one !== keyOf(certificate)), keyOf(certificate)].slice(-REMEMBERED);
      return { ...state, current: certificate, seenAt: at, failure: null, known };
    }
    case 'CertificateExpiryApproached':
      return { ...state, warned: remember(state.warned, event.data.fingerprint, { of: 'soon', alertPeriod: event.data.alertPeriod }) };
    case 'CertificateExpiryReceded':
      return { ...state, warned: new Map([...state.warned].filter(([one]) => one !== event.data.fingerprint)) };
    case 'CertificateExpired':
      return { ...state, warned: remember(state.warned, event.data.fingerprint, { of: 'expired', alertPeriod: 0 }) };
    case 'CertificateLookFailed': {
      const { host, port, reason } = event.data;
      return { ...state, failure: { host, port, reason } };
    }
    case 'CertificateDistrusted':
    case 'ProbeStarted':
      return state;
    default:
      return ignoreUnknownEvent(event, state);
  }
}

const remember = (warned: Certificate['warned'], fingerprint: string, how: Warned): Certificate['warned'] =>
  new Map([...[...warned].filter(([one]) => one !== fingerprint).slice(1 - REMEMBERED), [fingerprint, how]]);

/** A certificate on another host, or one that no longer verifies, counts as a different one. */
const keyOf = ({ host, port, fingerprint, problem }: CertificateFacts): string => `${host}:${String(port)} ${fingerprint} ${problem ?? ''}`;

export type CertificateLook =
  | { readonly kind: 'seen'; readonly certificate: CertificateFacts }
  /** The server sent no certificate; the known one stays. */
  | ({ readonly kind: 'failed'; readonly reason: string } & Endpoint);

export interface LookOrigin {
  readonly projectId: string;
  readonly url: string;
  readonly location: string;
  readonly at: number;
  readonly sslAlertPeriod: number;
  /** SHA-256 of the exchange. */
  readonly exchange?: string;
}

/** The location, the instant and the exchange of an inspection of the certificate. */
const lookedAt = ({ location, at, exchange }: LookOrigin) => ({
  location,
  at: new Date(at).toISOString(),
  ...(exchange !== undefined && { exchange }),
});

/** Decides on one inspection of the certificate. Time alone changes something too, so every inspection compares the end of validity with the clock. */
export function recordLook(state: Certificate, look: CertificateLook, origin: LookOrigin): readonly CertificateEvent[] {
  const events = look.kind === 'failed' ? failed(state, look, origin) : seen(state, look.certificate, origin);
  if (events.length === 0) return [];
  const { projectId, url, location, at } = origin;
  const startedAt = new Date(at).toISOString();
  return [{ type: 'ProbeStarted', data: { projectId, purpose: 'certificate', url, location, startedAt, confirming: false } }, ...events];
}

function failed(state: Certificate, look: CertificateLook & { kind: 'failed' }, origin: LookOrigin): readonly CertificateEvent[] {
  const { host, port, reason } = look;
  const { current, failure } = state;
  if (current?.host === host && current.port === port) return [];
  if (failure?.host === host && failure.port === port && failure.reason === reason) return [];
  return [{ type: 'CertificateLookFailed', data: { host, port, reason, ...lookedAt(origin) } }];
}

function seen(state: Certificate, certificate: CertificateFacts, origin: LookOrigin): readonly CertificateEvent[] {
  const { host, fingerprint, problem } = certificate;
  if (!isNews(state, certificate, origin.at))
    return state.current !== null && keyOf(state.current) === keyOf(certificate) ? ending(state, certificate, origin) : [];
  const previous = state.current?.fingerprint ?? null;
  const data = { certificate, previous, resolves: resolved(state, certificate, origin), ...lookedAt(origin) };
  const before = state.current === null || isElsewhere(state.current, certificate) ? null : state.current.problem;
  const distrusted: CertificateEvent[] =
    problem !== null && before === null
      ? [{ type: 'CertificateDistrusted', data: { host, fingerprint, problem, ...lookedAt(origin) } }]
      : [];
  return [{ type: 'CertificateSeen', data }, ...distrusted, ...ending(state, certificate, origin)];
}

/** The project has moved to another host or port. */
const isElsewhere = (one: Endpoint, other: Endpoint): boolean => one.host !== other.host || one.port !== other.port;

function isNews({ current, known, seenAt }: Certificate, certificate: CertificateFacts, now: number): boolean {
  const key = keyOf(certificate);
  if (current === null) return true;
  if (keyOf(current) === key) return false;
  return isElsewhere(current, certificate) || !known.includes(key) || seenAt === null || now - Date.parse(seenAt) >= STEADY;
}

/**
 * `soon` and `expired` are each recorded once per certificate, even when the clock changes back and forth. A shorter alert period ends `soon`, and a longer
 * one begins it again: the operator asked for either.
 */
function ending(
  { warned }: Certificate,
  { host, fingerprint, validTo, problem }: CertificateFacts,
  origin: LookOrigin,
): readonly CertificateEvent[] {
  const { sslAlertPeriod: alertPeriod } = origin;
  const already = warned.get(fingerprint);
  if (isExpired(validTo, origin.at))
    return already?.of === 'expired' ? [] : [{ type: 'CertificateExpired', data: { host, fingerprint, validTo, ...lookedAt(origin) } }];
  const data = { host, fingerprint, validTo, daysLeft: daysLeft(validTo, origin.at), alertPeriod, ...lookedAt(origin) };
  if (problem === null && already?.of === 'soon' && alertPeriod < already.alertPeriod && !isSoon(validTo, alertPeriod, origin.at))
    return [{ type: 'CertificateExpiryReceded', data }];
  if (problem !== null || already !== undefined || !isSoon(validTo, alertPeriod, origin.at)) return [];
  return [{ type: 'CertificateExpiryApproached', data }];
}

/** The trouble that the certificate before was in, when this one is in none. */
function resolved(
  { current, warned }: Certificate,
  certificate: CertificateFacts,
  { at, sslAlertPeriod }: LookOrigin,
): CertificateTrouble | null {
  if (current === null || certificate.problem !== null || isSoon(certificate.validTo, sslAlertPeriod, at)) return null;
  return warned.get(current.fingerprint)?.of ?? (current.problem === null ? null : 'untrusted');
}

export const certificate: Decider<Certificate, CertificateEvent> = { initial, evolve };

export const certificateTarget = (projectId: string) => ({
  stream: certificateStream(projectId),
  scope: projectStream(projectId),
  decider: certificate,
});
