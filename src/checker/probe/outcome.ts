import type { CertificateSeen } from './certificate.ts';

/** Milliseconds with fractions; over redirects each is the sum of the hops, so that together they make up the total. */
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
export interface Hop {
  /** What answered with the redirect. */
  readonly url: string;
  readonly status: number;
  /** The header as it was sent. */
  readonly location: string;
  /** Where it led. */
  readonly to: string;
  readonly phases: Phases;
}

export type HeaderLine = readonly [name: string, value: string];

interface Journey {
  /** The url of the last hop, reached or not. */
  readonly url: string;
  readonly hops: readonly Hop[];
  readonly phases: Phases;
  /** Of the last hop over TLS, also when it does not verify. */
  readonly certificate: CertificateSeen | null;
  /** The address that was dialled last. */
  readonly address: string | null;
}

export interface Answered extends Journey {
  readonly kind: 'answered';
  readonly httpVersion: '1.0' | '1.1' | '2';
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HeaderLine[];
  /** Decoded from its content coding, not yet from its charset. */
  readonly body: Uint8Array;
  /** Bytes of the body as they came over the wire. */
  readonly size: number;
  /** There was more than we take; `body` is its beginning. */
  readonly cut: boolean;
}

export interface TimedOut extends Journey {
  readonly kind: 'timedOut';
  readonly during: PhaseName;
  readonly reason: string;
}

/** Refused, broken, unknown: the site is not there, or not as it should be. */
export interface Failed extends Journey {
  readonly kind: 'failed';
  readonly code: FailureCode;
  readonly during: PhaseName;
  readonly reason: string;
}

/** Trouble of our own: says nothing about the site, and must never be held against it. */
export interface OwnTrouble extends Journey {
  readonly kind: 'own';
  readonly reason: string;
}

export type FailureCode =
  'target' | 'name' | 'connection' | 'tls' | 'certificate' | 'protocol' | 'headers' | 'body' | 'redirect' | 'signIn';

export type Outcome = Answered | TimedOut | Failed | OwnTrouble;

/** How one request ends, before it has become part of a journey. */
export type Trouble =
  { readonly kind: 'failed'; readonly code: FailureCode; readonly reason: string } | { readonly kind: 'own'; readonly reason: string };

export const NO_PHASES: Phases = { dns: 0, connect: 0, tls: 0, request: 0, wait: 0, download: 0, total: 0 };
