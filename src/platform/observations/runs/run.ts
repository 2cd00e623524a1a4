import type { RecordedItem } from '../codec/recording.ts';

/** One run of a check in history; the full result is kept for the latest run and for runs of jobs only. */
export interface Run extends RecordedItem {
  readonly checkId: string;
  readonly outcome: 'ok' | 'error' | 'timeout';
  /** The second run, which confirms a failure. */
  readonly confirming: boolean;
  /** The job that started it; null for a scheduled run. */
  readonly jobId: string | null;
  /** The status of the last answer; 0 without an answer. */
  readonly httpStatus: number;
  /** One sentence per failing rule. */
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
  /** The page stops without `</html>`, with which every passing run before ended (docs/spec/decisions.md#T20). */
  readonly endExpected?: true;
}

/** In order of time; of two runs of one check at one instant the later accepted counts. */
export function runsInOrder(runs: readonly Run[]): readonly Run[] {
  const byPlace = new Map<string, { readonly run: Run; readonly index: number }>();
  runs.forEach((run, index) => byPlace.set(`${String(run.at)} ${run.checkId}`, { run, index }));
  return [...byPlace.values()].sort((one, other) => one.run.at - other.run.at || one.index - other.index).map(({ run }) => run);
}
