import type { Run } from './run.ts';

/** The `test-check` object of results and statuses (docs/spec/interface.md#test-check). */
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

/** Milliseconds. */
export type RunPhases = Pick<Run, 'dns' | 'connect' | 'tls' | 'request' | 'waiting' | 'download' | 'total'>;

/** docs/spec/decisions.md#T14. */
const names = {
  dns: 'DNS Lookup',
  connect: 'Initial connection',
  tls: 'SSL',
  request: 'Request',
  waiting: 'Waiting',
  download: 'Content download',
  total: 'Total',
} as const satisfies Record<keyof RunPhases, string>;

export const timingOf = (phases: RunPhases): RunResponse['timing'] =>
  (Object.keys(names) as (keyof RunPhases)[]).map((phase) => ({
    metrics: names[phase],
    metric: names[phase],
    value: Math.round(phases[phase]),
  }));

/** The response of a check that has not run. */
export const noResponse: RunResponse = {
  status: '',
  httpStatus: '',
  baseUrl: '',
  contentType: '',
  httpHeader: '',
  processTime: 0,
  size: 0,
  redirects: [],
  timing: [],
};

/** The response of a run whose full result is no longer kept: measurements only. */
export const keptResponse = (run: Run): RunResponse => ({
  ...noResponse,
  status: run.httpStatus > 0 ? 'ok' : run.outcome === 'timeout' ? 'timeout' : 'error',
  httpStatus: run.httpStatus > 0 ? String(run.httpStatus) : '',
  processTime: Math.round(run.total) / 1000,
  size: run.httpStatus > 0 ? run.size : false,
  timing: timingOf(run),
});

/** The response in a full result; null where it has none. */
export function writtenResponse(whole: object): RunResponse | null {
  if (!('response' in whole) || typeof whole.response !== 'object' || whole.response === null) return null;
  return { ...noResponse, ...whole.response };
}
