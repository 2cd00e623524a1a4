import { shortened } from '../../kernel/text.ts';
import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';

/** A certificate as presented by the server; all texts and lists are bounded. */
export interface CertificateSeen {
  readonly subject: string;
  readonly issuer: string;
  readonly names: readonly string[];
  readonly serial: string;
  /** ISO 8601. */
  readonly validFrom: string;
  readonly validTo: string;
  /** SHA-256, in hex. */
  readonly fingerprint: string;
  /** Such as `RSA 2048` or `EC P-256`; empty if unknown. */
  readonly key: string;
  /** From the issuer upwards, as sent by the server or completed from the trust store. */
  readonly chain: readonly { readonly subject: string; readonly fingerprint: string; readonly validTo: string }[];
  /** Why it does not verify; null if it does. */
  readonly problem: string | null;
}

const MAX_NAME_LENGTH = 256;
const MAX_NAMES = 100;
const MAX_DEPTH = 8;

const shortName = (text: string): string => shortened(text, MAX_NAME_LENGTH);

const instant = (text: string): string => {
  const time = Date.parse(text);
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
};

function distinguishedName(name: PeerCertificate['subject'] | undefined): string {
  if (name === undefined) return '';
  const parts = Object.entries(name).map(([key, value]) => `${key}=${[value ?? []].flat().join('+')}`);
  return shortName(parts.join(', '));
}

const alternativeNames = (text: string | undefined): string[] =>
  text === undefined
    ? []
    : text
        .slice(0, MAX_NAMES * MAX_NAME_LENGTH)
        .split(', ')
        .slice(0, MAX_NAMES)
        .map((name) => shortName(name.replace(/^(DNS|IP Address):/, '')));

function chainOf(leaf: DetailedPeerCertificate): CertificateSeen['chain'] {
  const chain: CertificateSeen['chain'][number][] = [];
  // The types declare an issuer always; it is missing where the chain is incomplete. A root is its own issuer.
  const issuerOf = (certificate: Partial<DetailedPeerCertificate>): DetailedPeerCertificate | undefined => certificate.issuerCertificate;
  let at = leaf;
  for (let issuer = issuerOf(at); issuer !== undefined && issuer !== at && chain.length < MAX_DEPTH; issuer = issuerOf(at)) {
    at = issuer;
    chain.push({ subject: distinguishedName(at.subject), fingerprint: fingerprintOf(at), validTo: instant(at.valid_to) });
  }
  return chain;
}

const fingerprintOf = (certificate: PeerCertificate): string => certificate.fingerprint256.replaceAll(':', '').toLowerCase();

/** Curves by their name in OpenSSL. */
const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

function keyOf({ modulus, bits, asn1Curve }: PeerCertificate): string {
  if (modulus !== undefined) return `RSA ${String(bits ?? '')}`.trim();
  return asn1Curve === undefined ? '' : shortName(`EC ${CURVES[asn1Curve] ?? asn1Curve}`);
}

export function certificateSeen(certificate: DetailedPeerCertificate, problem: string | null): CertificateSeen {
  return {
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    names: alternativeNames(certificate.subjectaltname),
    serial: shortName(certificate.serialNumber),
    validFrom: instant(certificate.valid_from),
    validTo: instant(certificate.valid_to),
    fingerprint: fingerprintOf(certificate),
    key: keyOf(certificate),
    chain: chainOf(certificate),
    problem,
  };
}

const PROBLEMS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its root is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not trusted, or an intermediate certificate is missing',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not trusted, or an intermediate certificate is missing',
  CERT_REVOKED: 'it is revoked',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  INVALID_PURPOSE: 'it is not meant for servers',
  CERT_UNTRUSTED: 'it is not trusted',
  CERT_CHAIN_TOO_LONG: 'its chain is too long',
};

/** `code` as given by OpenSSL or Node. */
export function verifyProblem(code: string, host: string, certificate: DetailedPeerCertificate): string {
  if (code === 'CERT_HAS_EXPIRED') return `it expired on ${instant(certificate.valid_to).slice(0, 10)}`;
  if (code === 'CERT_NOT_YET_VALID') return `it is not valid before ${instant(certificate.valid_from)}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = alternativeNames(certificate.subjectaltname).slice(0, 3).join(', ');
    return `it is for ${shortName(names === '' ? distinguishedName(certificate.subject) : names)} and not for ${host}`;
  }
  return PROBLEMS[code] ?? `it does not verify (${code})`;
}
