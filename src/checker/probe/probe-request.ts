import type { SignIn } from './challenge.ts';
import type { ProbeSession } from './probe-session.ts';
import type { HeaderLine } from './outcome.ts';

/** The options of a check (docs/spec/decisions.md#T10) in words. */
export interface ProbeOptions {
  readonly http1Only?: boolean;
  readonly ipv6Only?: boolean;
  readonly uncompressed?: boolean;
  readonly stayOnFirst?: boolean;
}

export interface RequestBody {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface ProbeRequest {
  readonly url: string;
  /** Bounds the whole journey: names, redirects, sign-in, the last byte. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: RequestBody;
  readonly options?: ProbeOptions;
  /** Stay with the origin of `url`. */
  readonly headers?: readonly HeaderLine[];
  readonly signIn?: SignIn;
  /** Cookies and a sign-in that outlive this fetch; without one they are forgotten after it. */
  readonly session?: ProbeSession;
  /** Gives the probe up at once: our own trouble, whatever the site was about to say. */
  readonly signal?: AbortSignal;
}

/** The member names of the interface (`2`, `6`, `g`, `l`). */
export const readProbeOptions = (options: Readonly<Partial<Record<'2' | '6' | 'g' | 'l', boolean>>>): ProbeOptions => ({
  http1Only: options['2'] === true,
  ipv6Only: options['6'] === true,
  uncompressed: options.g === true,
  stayOnFirst: options.l === true,
});
