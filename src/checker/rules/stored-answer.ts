import type { CheckMethod } from '../../projects/checks/check.settings.ts';
import type { CertificateSeen } from '../probe/certificate.ts';
import type { Answered, HeaderLine, Phases } from '../probe/outcome.ts';

/** The part of an answer that is judged and stored, so that the same rules give the same result at any later time. */
export interface StoredAnswer {
  readonly url: string;
  readonly httpVersion: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HeaderLine[];
  /** The last redirect that was followed: its `Location` header as sent, and resolved. */
  readonly redirectedBy: { readonly location: string; readonly to: string } | null;
  readonly body: Uint8Array;
  readonly cut: boolean;
  /** How many redirects were followed; unknown of answers that were stored without it. */
  readonly redirects?: number;
  /** Null without TLS; unknown of answers that were stored without it. */
  readonly certificate?: RuleCertificate | null;
  readonly timing?: Phases;
  /** GET where it is missing. */
  readonly method?: string;
  /** Time of the run, in milliseconds. */
  readonly at?: number;
}

/** The facts of a certificate that rules read. */
export type RuleCertificate = Pick<CertificateSeen, 'issuer' | 'names' | 'validTo' | 'key'>;

const certificateOf = (seen: CertificateSeen | null): RuleCertificate | null =>
  seen === null ? null : { issuer: seen.issuer, names: seen.names, validTo: seen.validTo, key: seen.key };

export function storedAnswer(
  { url, httpVersion, status, statusText, headers, hops, body, cut, ...seen }: Answered,
  at: number,
  method: CheckMethod = 'GET',
): StoredAnswer {
  const last = hops.at(-1);
  const redirectedBy = last === undefined ? null : { location: last.location, to: last.to };
  const facts = {
    redirects: hops.length,
    certificate: certificateOf(seen.certificate),
    timing: seen.phases,
    at,
    ...(method !== 'GET' && { method }),
  };
  return { url, httpVersion, status, statusText, headers, redirectedBy, body, cut, ...facts };
}

export const headerValue = (answer: Pick<StoredAnswer, 'headers'>, name: string): string | undefined =>
  answer.headers.find(([key]) => key.toLowerCase() === name)?.[1];

export const headerValues = (answer: Pick<StoredAnswer, 'headers'>, name: string): string[] =>
  answer.headers.flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []));

/** Undefined if unknown. */
export const redirectsOf = ({ redirects, redirectedBy }: Pick<StoredAnswer, 'redirects' | 'redirectedBy'>): number | undefined =>
  redirects ?? (redirectedBy === null ? 0 : undefined);

export const statusLine = ({ httpVersion, status, statusText }: Pick<StoredAnswer, 'httpVersion' | 'status' | 'statusText'>): string =>
  `HTTP/${httpVersion} ${String(status)} ${statusText}`.trimEnd();

/** The raw header block (docs/spec/interface.md#test-check). */
export const headerBlock = (answer: StoredAnswer): string =>
  [statusLine(answer), ...answer.headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
