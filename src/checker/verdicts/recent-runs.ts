import { LOOK_BACK } from '../instability.ts';
import type { Failing, RunEvidence } from './verdict.events.ts';

export interface AcceptedRun {
  readonly at: number;
  /** Null when every rule held. */
  readonly failing: Failing | null;
  readonly evidence: RunEvidence;
}

/** The accepted runs that a decision depends on. While a check is unstable, events alone do not contain them, so a new owner folds the stored runs of the last two hours. */
export interface RecentRuns {
  /** Failing runs with no passing one behind them: the first of them, and whether a later one has confirmed it. */
  readonly series: { readonly first: AcceptedRun; readonly confirmed: boolean } | null;
  /** When the series began that nothing confirmed. */
  readonly unconfirmed: readonly number[];
}

export const noRecentRuns: RecentRuns = { series: null, unconfirmed: [] };

/** A second press of "start" in the same moment is no second opinion (docs/spec/decisions.md#J11: 10 to 30 seconds later). */
export const CONFIRMS_AFTER = 9_000;

/** An unconfirmed series older than the look-back is dropped, so that old and new owners of the check decide alike. */
const seriesBefore = ({ series }: RecentRuns, run: AcceptedRun): RecentRuns['series'] =>
  series?.confirmed === false && run.at - series.first.at > LOOK_BACK ? null : series;

export function observeRun(recent: RecentRuns, run: AcceptedRun): RecentRuns {
  const series = seriesBefore(recent, run);
  const unconfirmed = recent.unconfirmed.filter((at) => at > run.at - LOOK_BACK);
  if (run.failing !== null) return { series: { first: series?.first ?? run, confirmed: confirmsRun(recent, run) }, unconfirmed };
  return { series: null, unconfirmed: series?.confirmed === false ? [...unconfirmed, series.first.at] : unconfirmed };
}

/** Failing runs after a confirmed failure belong to the same failure. */
export function confirmsRun(recent: RecentRuns, run: AcceptedRun): boolean {
  const series = seriesBefore(recent, run);
  return series !== null && run.failing !== null && (series.confirmed || run.at - series.first.at >= CONFIRMS_AFTER);
}

/** The last run failed, and nothing has confirmed it yet. */
export const awaitsConfirmation = ({ series }: RecentRuns): boolean => series?.confirmed === false;

/**
 * The instants of the failing runs that count, among the runs of one check in order: a series of failures counts as a whole, from its first
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
