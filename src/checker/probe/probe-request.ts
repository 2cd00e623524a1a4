import type { CheckMethod } from '../../projects/checks/check.settings.ts';
import type { WorkSource } from '../../kernel/concurrency-limit.ts';
import type { HttpCredentials } from './http-authentication.ts';
import type { ProbeSession } from './probe-session.ts';
import type { HeaderLine } from './outcome.ts';

/** The options of a check (docs/spec/decisions.md#T10). */
export interface ProbeOptions {
  readonly http1Only?: boolean;
  readonly ipv6Only?: boolean;
  readonly uncompressed?: boolean;
  readonly stayOnFirst?: boolean;
}

export interface RequestBody {
  /** Empty: that of the extra headers, else plain text. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface ProbeRequest {
  readonly url: string;
  /** For the whole journey: name lookup, redirects, authentication, up to the last byte. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Whose share of the limits the fetch takes; by default none. */
  readonly source?: WorkSource;
  /** By default GET. */
  readonly method?: CheckMethod;
  readonly body?: RequestBody;
  readonly options?: ProbeOptions;
  /** Sent to the origin of `url` only. */
  readonly headers?: readonly HeaderLine[];
  readonly credentials?: HttpCredentials;
  /** Cookies and authentication shared by several fetches; by default a new session per fetch. */
  readonly session?: ProbeSession;
  /** The project for which TLS sessions are resumed; by default every handshake is a full one, which shows the certificate. */
  readonly resumeFor?: string;
  /** Aborts the probe, whose outcome is then inconclusive. */
  readonly signal?: AbortSignal;
}

/** Translates the option names of the interface (`2`, `6`, `g`, `l`). */
export const readProbeOptions = (options: Readonly<Partial<Record<'2' | '6' | 'g' | 'l', boolean>>>): ProbeOptions => ({
  http1Only: options['2'] === true,
  ipv6Only: options['6'] === true,
  uncompressed: options.g === true,
  stayOnFirst: options.l === true,
});
