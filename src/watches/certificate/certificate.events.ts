import type { EntriesOf } from '../../kernel/catalogue.ts';

export interface CertificateLink {
  readonly subject: string;
  readonly validTo: string;
  /** SHA-256 of the DER form, lower-case hex. */
  readonly fingerprint: string;
}

/** The certificate that a server presented. Its status depends on the clock and is computed on read. */
export interface CertificateFacts {
  readonly host: string;
  readonly port: number;
  readonly fingerprint: string;
  readonly subject: string;
  readonly issuer: string;
  readonly serial: string;
  readonly names: readonly string[];
  readonly validFrom: string;
  readonly validTo: string;
  /** Why it does not verify (untrusted, wrong host), in words; null when it does. Being past its end is no reason: the clock says that. */
  readonly problem: string | null;
  /** From the issuer of the certificate upwards. */
  readonly chain: readonly CertificateLink[];
}

/** The problem that a change of certificate resolves. */
export type CertificateTrouble = 'soon' | 'expired' | 'untrusted';

export interface CertificateEvents {
  /** A certificate that was not there before: the first, a new one, or the old one with another chain or verdict. */
  CertificateSeen: {
    readonly certificate: CertificateFacts;
    readonly previous: string | null;
    readonly resolves: CertificateTrouble | null;
    readonly location: string;
    readonly at: string;
    /** SHA-256 of the exchange that was kept as evidence (RFC 8785). */
    readonly exchange?: string;
  };
  CertificateDistrusted: {
    readonly host: string;
    readonly fingerprint: string;
    readonly problem: string;
    readonly location: string;
    readonly at: string;
    /** SHA-256 of the exchange that was kept as evidence (RFC 8785). */
    readonly exchange?: string;
  };
  /** Once a certificate and alert period: less is left than that. */
  CertificateExpiryApproached: {
    readonly host: string;
    readonly fingerprint: string;
    readonly validTo: string;
    readonly daysLeft: number;
    readonly alertPeriod: number;
    readonly location: string;
    readonly at: string;
    /** SHA-256 of the exchange that was kept as evidence (RFC 8785). */
    readonly exchange?: string;
  };
  /** The alert period was made shorter, and more is left than that. */
  CertificateExpiryReceded: {
    readonly host: string;
    readonly fingerprint: string;
    readonly validTo: string;
    readonly daysLeft: number;
    readonly alertPeriod: number;
    readonly location: string;
    readonly at: string;
    /** SHA-256 of the exchange that was kept as evidence (RFC 8785). */
    readonly exchange?: string;
  };
  /** Once a certificate. */
  CertificateExpired: {
    readonly host: string;
    readonly fingerprint: string;
    readonly validTo: string;
    readonly location: string;
    readonly at: string;
    /** SHA-256 of the exchange that was kept as evidence (RFC 8785). */
    readonly exchange?: string;
  };
  /** Nothing is known of the certificate, and this is why. */
  CertificateLookFailed: {
    readonly host: string;
    readonly port: number;
    readonly reason: string;
    readonly location: string;
    readonly at: string;
    /** SHA-256 of the exchange that was kept as evidence (RFC 8785). */
    readonly exchange?: string;
  };
}

export const certificateEvents = {
  CertificateSeen: { version: 1 },
  CertificateDistrusted: { version: 1 },
  CertificateExpiryApproached: { version: 1 },
  CertificateExpiryReceded: { version: 1 },
  CertificateExpired: { version: 1 },
  CertificateLookFailed: { version: 1 },
} satisfies EntriesOf<CertificateEvents>;
