import type { Outcome, Phases } from '../probe/outcome.ts';
import { headerBlock, headerValue, storedAnswer } from '../rules/stored-answer.ts';

/** interface.md, Response, as results and statuses carry it. */
export interface RunResponse {
  readonly status: string;
  readonly httpStatus: string;
  readonly baseUrl: string;
  readonly contentType: string;
  readonly httpHeader: string;
  /** Seconds. */
  readonly processTime: number;
  readonly size: number | false;
  readonly redirects: readonly string[];
  readonly timing: readonly { readonly metrics: string; readonly metric: string; readonly value: number }[];
}

/** decisions.md, T14. */
const metrics = {
  dns: 'DNS Lookup',
  connect: 'Initial connection',
  tls: 'SSL',
  request: 'Request',
  wait: 'Waiting',
  download: 'Content download',
  total: 'Total',
} as const satisfies Record<keyof Phases, string>;

export function responseOf(outcome: Outcome): RunResponse {
  const { url, hops, phases } = outcome;
  const answer = outcome.kind === 'answered' ? storedAnswer(outcome) : null;
  const names = Object.keys(metrics) as (keyof Phases)[];
  return {
    status: outcome.kind === 'answered' ? 'ok' : outcome.kind === 'timedOut' ? 'timeout' : 'error',
    httpStatus: answer === null ? '' : String(answer.status),
    baseUrl: url,
    contentType: answer === null ? '' : (headerValue(answer, 'content-type') ?? ''),
    httpHeader: answer === null ? '' : headerBlock(answer),
    processTime: Math.round(phases.total) / 1000,
    size: outcome.kind === 'answered' ? outcome.body.length : false,
    redirects: hops.map(({ to }) => to),
    timing: names.map((name) => ({ metrics: metrics[name], metric: metrics[name], value: Math.round(phases[name]) })),
  };
}
