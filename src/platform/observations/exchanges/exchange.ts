/** A header line; null stands for a value that is a secret. */
export type ShownHeader = readonly [name: string, value: string | null];

/** The rules that an answer was judged by, and what they found. */
export interface JudgedBy {
  readonly type: string;
  /** The method of the intended request; a redirect may have changed it. */
  readonly method: string;
  readonly defaultErrors: boolean;
  /** Every earlier passing run ended with `</html>`, and this one does not; left out otherwise. */
  readonly endExpected?: true;
  /** Those of the group come first. */
  readonly rules: readonly { readonly owner: 'group' | 'own'; readonly type: string; readonly op: string; readonly val: string }[];
  /** `rule`: its index; null for the page as a whole. */
  readonly failures: readonly { readonly rule: number | null; readonly sentence: string }[];
}

export interface ExchangeAnswer {
  readonly url: string;
  readonly httpVersion: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly ShownHeader[];
  /** The body exceeded the limit; its beginning was judged. */
  readonly cut: boolean;
  /** Bytes of the body, decoded from its content coding. */
  readonly size: number;
  /** Bytes of the body on the wire. */
  readonly transferred: number;
  /** SHA-256 of the body, lower-case hex. */
  readonly page: string;
}

/**
 * The request and the answer that an event rests on, without secrets. Its canonical JSON (RFC 8785) is what the hash in the event is of, so that it is
 * sealed with the event.
 */
export interface Exchange {
  readonly kind: 'check' | 'uptime' | 'certificate' | 'redirect';
  /** Null for what is watched for the project as a whole. */
  readonly checkId: string | null;
  readonly at: string;
  readonly location: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly ShownHeader[];
    readonly bodyBytes: number;
  } | null;
  /** The last address connected to. */
  readonly address: string | null;
  readonly outcome: 'answered' | 'timedOut' | 'failed';
  /** Why there is no answer; null when there is one. */
  readonly reason: string | null;
  readonly answer: ExchangeAnswer | null;
  readonly redirects: readonly {
    readonly url: string;
    readonly status: number;
    readonly location: string;
    readonly to: string;
    readonly milliseconds: number;
  }[];
  /** Milliseconds, summed over all redirects. */
  readonly timings: Readonly<Record<'dns' | 'connect' | 'tls' | 'request' | 'wait' | 'download' | 'total', number>>;
  readonly certificate: {
    readonly issuer: string;
    readonly names: readonly string[];
    readonly validTo: string;
    readonly key: string;
  } | null;
  /** Null where no rules are applied. */
  readonly judged: JudgedBy | null;
}
