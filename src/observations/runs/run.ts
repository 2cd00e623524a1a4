/** One run of a check as history keeps it; the whole answer stands with the latest run and with runs of jobs that somebody started. */
export interface Run {
  readonly at: number;
  readonly checkId: string;
  readonly outcome: 'ok' | 'error' | 'timeout';
  /** A second run that was to confirm a failure. */
  readonly confirming: boolean;
  /** Of a job that somebody started; null for the schedule's. */
  readonly jobId: string | null;
  /** Of the last answer; 0 when there was none. */
  readonly httpStatus: number;
  /** One sentence a failing rule. */
  readonly failures: readonly string[];
  /** Milliseconds, to a tenth. */
  readonly dns: number;
  readonly connect: number;
  readonly tls: number;
  readonly request: number;
  readonly waiting: number;
  readonly download: number;
  readonly total: number;
  /** Bytes of the body. */
  readonly size: number;
  /** SHA-256 of the body, lower-case hex; null without one. */
  readonly page: string | null;
}

/** In order of time; of two runs of one check at one instant the later accepted counts. */
export function runsInOrder(runs: readonly Run[]): readonly Run[] {
  const byPlace = new Map<string, { readonly run: Run; readonly index: number }>();
  runs.forEach((run, index) => byPlace.set(`${String(run.at)} ${run.checkId}`, { run, index }));
  return [...byPlace.values()].sort((one, other) => one.run.at - other.run.at || one.index - other.index).map(({ run }) => run);
}
