import type { CertificateSeen } from './certificate.ts';

/** The cause is on our side: nothing is known about the site, so this must never count against it; the attempt is repeated. */
export interface Inconclusive {
  readonly kind: 'inconclusive';
  readonly reason: string;
}

export const inconclusive = (reason: string): Inconclusive => ({ kind: 'inconclusive', reason });

/** Milliseconds with fractions; each phase is summed over all redirects, so that the phases add up to the total. */
export interface Phases {
  readonly dns: number;
  readonly connect: number;
  readonly tls: number;
  readonly request: number;
  readonly wait: number;
  readonly download: number;
  readonly total: number;
}

export type PhaseName = Exclude<keyof Phases, 'total'>;

/** A redirect that was followed. */
export interface RedirectHop {
  /** The URL that answered with the redirect. */
  readonly url: string;
  readonly status: number;
  /** The `Location` header as sent. */
  readonly location: string;
  /** `location` resolved against `url`. */
  readonly to: string;
  readonly phases: Phases;
}

export type HeaderLine = readonly [name: string, value: string];

/** A request as it was sent, with its secrets: extra headers, credentials and cookies. In memory only. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  readonly bodyBytes: number;
  /** Names of the headers with secret values, in lower case. */
  readonly secret: ReadonlySet<string>;
}

interface JourneyFacts {
  /** The URL of the last hop, reached or not. */
  readonly url: string;
  readonly hops: readonly RedirectHop[];
  readonly phases: Phases;
  /** The certificate of the last hop over TLS, even if it does not verify; null if that hop resumed a session. */
  readonly certificate: CertificateSeen | null;
  /** The last address connected to. */
  readonly address: string | null;
  /** The last request; null when none was made. */
  readonly sent?: SentRequest | null;
}

export interface Answered extends JourneyFacts {
  readonly kind: 'answered';
  readonly httpVersion: '1.0' | '1.1' | '2';
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HeaderLine[];
  /** Decoded from its content coding, but not from its charset. */
  readonly body: Uint8Array;
  /** Bytes of the body on the wire. */
  readonly size: number;
  /** The body exceeded the limit; `body` is its beginning. */
  readonly cut: boolean;
}

export interface TimedOut extends JourneyFacts {
  readonly kind: 'timedOut';
  readonly during: PhaseName;
  readonly reason: string;
}

export type FailureCode =
  | 'target'
  | 'name'
  | 'connection'
  | 'tls'
  | 'certificate'
  | 'protocol'
  | 'headers'
  | 'body'
  | 'redirect'
  | 'signIn';

interface Failure {
  readonly kind: 'failed';
  readonly code: FailureCode;
  readonly reason: string;
}

/** The site is not reachable, or its answer is not usable. */
export interface FailedFetch extends JourneyFacts, Failure {
  readonly during: PhaseName;
}

export type FetchOutcome = Answered | TimedOut | FailedFetch | (JourneyFacts & Inconclusive);

/** An outcome that says something about the site. */
export type ConclusiveOutcome = Exclude<FetchOutcome, Inconclusive>;

/** How a single exchange fails, before it is part of a journey. */
export type ExchangeFailure = Failure | Inconclusive;

export const NO_PHASES: Phases = { dns: 0, connect: 0, tls: 0, request: 0, wait: 0, download: 0, total: 0 };
