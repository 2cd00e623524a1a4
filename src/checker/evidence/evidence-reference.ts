import type { CertificateEvents } from '../../watches/certificate/certificate.events.ts';
import type { RedirectEvents } from '../../watches/redirect/redirect.events.ts';
import type { UptimeEvents } from '../../watches/uptime/uptime.events.ts';
import type { VerdictEvents } from '../verdicts/verdict.events.ts';
import type { LogEvent } from '../../kernel/event.ts';

/** What an event says about the exchange that it rests on. */
export interface EvidenceReference {
  /** SHA-256 of the exchange; null for an event that was recorded without one. */
  readonly exchange: string | null;
  /** SHA-256 of the page; null where there was none, or where only the exchange names it. */
  readonly page: string | null;
  readonly at: string;
}

interface Referring {
  readonly at: string;
  readonly exchange?: string;
  readonly page?: string | null;
}
type OfVerdict = Extract<VerdictEvents[keyof VerdictEvents], { evidence: unknown }>;
type OfUptime = Extract<UptimeEvents[keyof UptimeEvents], { evidence: unknown }>;
type OfLook = CertificateEvents[keyof CertificateEvents] | RedirectEvents[keyof RedirectEvents];

const ofEvidence = ({ evidence }: OfVerdict | OfUptime): Referring => evidence;
const ofLook = (data: OfLook): Referring => data;

const REFERENCES = {
  CheckPassed: ofEvidence,
  CheckSuspected: ofEvidence,
  CheckSuspicionCleared: ofEvidence,
  CheckFailed: ofEvidence,
  CheckFailureChanged: ofEvidence,
  CheckRecovered: ofEvidence,
  UptimeBegan: ofEvidence,
  UptimeSuspected: ofEvidence,
  UptimeSuspicionCleared: ofEvidence,
  UptimeWentDown: ofEvidence,
  UptimeFailureChanged: ofEvidence,
  UptimeWentUp: ofEvidence,
  CertificateSeen: ofLook,
  CertificateDistrusted: ofLook,
  CertificateExpiryApproached: ofLook,
  CertificateExpiryReceded: ofLook,
  CertificateExpired: ofLook,
  CertificateLookFailed: ofLook,
  RedirectVerified: ofLook,
  RedirectFailed: ofLook,
  RedirectUnreachable: ofLook,
} as const;

/** Null for an event that rests on no exchange. */
export function evidenceReference({ type, data }: Pick<LogEvent, 'type' | 'data'>): EvidenceReference | null {
  if (!Object.hasOwn(REFERENCES, type)) return null;
  // Its type fixes the shape of its data.
  const read = REFERENCES[type as keyof typeof REFERENCES] as (data: unknown) => Referring;
  const { at, exchange = null, page = null } = read(data);
  return { at, exchange, page };
}
