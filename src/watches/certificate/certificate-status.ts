import type { CertificateFacts } from './certificate.events.ts';
import { DAY_MS } from '../../kernel/time.ts';

export type SslStatus = 'ok' | 'soon' | 'expired' | 'nossl' | 'noinfo';

/** The members of a Project that describe its certificate (docs/spec/interface.md#states-and-transitions; docs/spec/decisions.md#P8). */
export interface CertificateStatus {
  readonly sslStatus: SslStatus;
  readonly sslExpiration: string | null;
  /** Absent until the first inspection. */
  readonly sslDaysLeft?: number;
  readonly sslError: string | null;
}

export interface KnownCertificate {
  readonly certificate: Pick<CertificateFacts, 'host' | 'port' | 'validTo' | 'problem'> | null;
  readonly failure: { readonly host: string; readonly port: number; readonly reason: string } | null;
}

/** Whole days, rounded down. */
export const daysLeft = (validTo: string, now: number): number => Math.floor((Date.parse(validTo) - now) / DAY_MS);

export const isSoon = (validTo: string, alertPeriod: number, now: number): boolean => daysLeft(validTo, now) <= alertPeriod;

export const isExpired = (validTo: string, now: number): boolean => now >= Date.parse(validTo);

/** The instants after which the status of a certificate changes without a new inspection. */
export const turningPoints = (validTo: string, alertPeriod: number): readonly number[] => {
  const end = Date.parse(validTo);
  return [end - (alertPeriod + 1) * DAY_MS, end];
};

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The endpoint at which a project's certificate is inspected; null for a project without TLS. */
export function endpointOf(projectUrl: string): Endpoint | null {
  const url = new URL(projectUrl);
  return url.protocol === 'https:' ? { host: url.hostname, port: url.port === '' ? 443 : Number(url.port) } : null;
}

export function certificateStatus(
  known: KnownCertificate | null,
  project: { readonly url: string; readonly sslAlertPeriod: number },
  now: number,
): CertificateStatus {
  const endpoint = endpointOf(project.url);
  if (endpoint === null) return { sslStatus: 'nossl', sslExpiration: null, sslError: null };
  const certificate = known?.certificate ?? null;
  if (certificate === null || !isAt(certificate, endpoint)) {
    const failure = known?.failure ?? null;
    return { sslStatus: 'noinfo', sslExpiration: null, sslError: failure !== null && isAt(failure, endpoint) ? failure.reason : null };
  }
  const { validTo, problem } = certificate;
  const left = daysLeft(validTo, now);
  const details = { sslExpiration: validTo, sslDaysLeft: Math.max(0, left), sslError: problem };
  if (isExpired(validTo, now)) return { sslStatus: 'expired', ...details };
  if (problem !== null) return { sslStatus: 'noinfo', ...details };
  return { sslStatus: isSoon(validTo, project.sslAlertPeriod, now) ? 'soon' : 'ok', ...details };
}

const isAt = (one: Endpoint, other: Endpoint): boolean => one.host === other.host && one.port === other.port;
