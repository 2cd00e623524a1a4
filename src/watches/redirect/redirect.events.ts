import type { EntriesOf } from '../../kernel/catalogue.ts';

export interface RedirectFound {
  readonly url: string;
  /** The url at which the http version ended; null when it did not answer. */
  readonly finalUrl: string | null;
  readonly reason: string | null;
  readonly location: string;
  readonly at: string;
  /** The previous status; null at the first inspection. */
  readonly before: 'ok' | 'failed' | 'unreachable' | null;
  /** SHA-256 of the exchange that was kept as evidence (RFC 8785). */
  readonly exchange?: string;
}

/** One event a change of state, or of the place where it ends. */
export interface RedirectEvents {
  RedirectVerified: RedirectFound;
  RedirectFailed: RedirectFound;
  RedirectUnreachable: RedirectFound;
}

export const redirectEvents = {
  RedirectVerified: { version: 1 },
  RedirectFailed: { version: 1 },
  RedirectUnreachable: { version: 1 },
} satisfies EntriesOf<RedirectEvents>;
