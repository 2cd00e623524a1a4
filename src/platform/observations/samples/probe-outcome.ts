export type UptimeFailure = 'down' | 'timeout';
export type ProbeOutcome = 'up' | UptimeFailure;

/** The part of a probe's result that the verdict depends on. */
export type ProbeAnswer =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'timedOut'; readonly reason?: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface Classified {
  readonly outcome: ProbeOutcome;
  readonly httpStatus: number | null;
  readonly reason: string | null;
}

/** The server is reachable and refuses. */
const REFUSED_BUT_THERE: readonly number[] = [401, 403, 405, 429];

/** docs/spec/decisions.md#J14. */
export function classify(answer: ProbeAnswer): Classified {
  switch (answer.kind) {
    case 'answered': {
      const { status } = answer;
      if ((status >= 200 && status <= 399) || REFUSED_BUT_THERE.includes(status))
        return { outcome: 'up', httpStatus: status, reason: null };
      return { outcome: 'down', httpStatus: status, reason: `the server answered with HTTP status ${String(status)}` };
    }
    case 'timedOut':
      return { outcome: 'timeout', httpStatus: null, reason: answer.reason ?? 'no whole answer in time' };
    case 'failed':
      return { outcome: 'down', httpStatus: null, reason: answer.reason };
  }
}
