import type { Failing, RunEvidence } from './verdict.events.ts';

export interface AcceptedRun {
  readonly at: number;
  /** Null: everything held. */
  readonly failing: Failing | null;
  readonly evidence: RunEvidence;
}

/** What a decision looks back at. Events alone do not tell it while a check is unstable, so a new owner folds the stored runs of the last two hours again. */
export interface RecentRuns {
  /** The run before, when it failed and nothing has confirmed it yet. */
  readonly open: AcceptedRun | null;
  readonly unconfirmed: readonly number[];
}

export const noRecentRuns: RecentRuns = { open: null, unconfirmed: [] };

export const LOOK_BACK = 2 * 3600_000;
/** A second press of "start" in the same moment is no second opinion (decisions.md, J11: 10 to 30 seconds later). */
export const CONFIRMS_AFTER = 9_000;

export function observeRun(recent: RecentRuns, run: AcceptedRun): RecentRuns {
  const unconfirmed = recent.unconfirmed.filter((at) => at > run.at - LOOK_BACK);
  if (run.failing === null) return { open: null, unconfirmed: recent.open === null ? unconfirmed : [...unconfirmed, recent.open.at] };
  if (confirmsRun(recent, run)) return { open: null, unconfirmed };
  return { open: recent.open ?? run, unconfirmed };
}

export const confirmsRun = ({ open }: RecentRuns, run: AcceptedRun): boolean =>
  open !== null && run.failing !== null && run.at - open.at >= CONFIRMS_AFTER;

/**
 * Of the runs of one check, in order, the instants of the failing ones that count: a series of failures counts as a whole, from its first
 * run on, once one of them lies late enough after the first to confirm it.
 */
export function confirmedRuns(runs: readonly { readonly at: number; readonly failed: boolean }[]): ReadonlySet<number> {
  const confirmed = new Set<number>();
  let series: number[] = [];
  const close = (): void => {
    const [first = 0, last = 0] = [series[0], series.at(-1)];
    if (last - first >= CONFIRMS_AFTER) for (const at of series) confirmed.add(at);
    series = [];
  };
  for (const { at, failed } of runs) {
    if (failed) series.push(at);
    else close();
  }
  close();
  return confirmed;
}
