import type { JudgedPastRun, PastJudge, PastQuery, RejudgedRun } from './judge-past.ts';

type Status = RejudgedRun['status'];

/** Consecutive runs with the same status then and now. */
export interface WhatIfInterval {
  readonly from: string;
  readonly to: string;
  readonly runs: number;
  readonly old: Status;
  readonly new: Status;
  readonly failures: readonly string[];
}

export interface WhatIfFound {
  readonly runs: number;
  /** The runs of which enough is stored to judge them again. */
  readonly judged: number;
  readonly changed: number;
  /** Percentage of the judged runs that passed. */
  readonly uptime: { readonly old: number | null; readonly new: number | null };
  readonly verdicts: readonly WhatIfInterval[];
}

/** Compares the stored results of past runs with those by other rules. */
export async function whatIf(past: Pick<PastJudge, 'runsOf'>, query: PastQuery): Promise<WhatIfFound> {
  let [runs, judged, changed, oldPassed, newPassed] = [0, 0, 0, 0, 0];
  const verdicts: WhatIfInterval[] = [];
  for await (const { run, rejudged } of past.runsOf(query)) {
    runs++;
    if (rejudged === null) continue;
    judged++;
    if (run.outcome !== rejudged.status) changed++;
    if (run.outcome === 'ok') oldPassed++;
    if (rejudged.status === 'ok') newPassed++;
    appendRun(verdicts, run, rejudged);
  }
  const uptime = { old: percentage(oldPassed, judged), new: percentage(newPassed, judged) };
  return { runs, judged, changed, uptime, verdicts };
}

const percentage = (passed: number, of: number): number | null => (of === 0 ? null : (passed / of) * 100);

function appendRun(intervals: WhatIfInterval[], run: JudgedPastRun['run'], rejudged: RejudgedRun): void {
  const at = new Date(run.at).toISOString();
  const last = intervals.at(-1);
  if (last?.old === run.outcome && last.new === rejudged.status) intervals.splice(-1, 1, { ...last, to: at, runs: last.runs + 1 });
  else intervals.push({ from: at, to: at, runs: 1, old: run.outcome, new: rejudged.status, failures: rejudged.failures });
}
