import type { JudgePast, PastAsked, PastRun, Said } from './judge-past.ts';

type Status = Said['status'];

/** Runs one after another that say the same, then and now. */
export interface Stretch {
  readonly from: string;
  readonly to: string;
  readonly runs: number;
  readonly old: Status;
  readonly new: Status;
  readonly failures: readonly string[];
}

export interface WhatIfFound {
  readonly runs: number;
  /** Those of which enough was kept to say what other rules would have said. */
  readonly judged: number;
  readonly changed: number;
  /** Of the judged runs, how many of a hundred passed. */
  readonly uptime: { readonly old: number | null; readonly new: number | null };
  readonly verdicts: readonly Stretch[];
}

/** What other rules would have said about what was kept. */
export async function whatIf(past: Pick<JudgePast, 'runsOf'>, asked: PastAsked): Promise<WhatIfFound> {
  let [runs, judged, changed, oldPassed, newPassed] = [0, 0, 0, 0, 0];
  const verdicts: Stretch[] = [];
  for await (const { run, said } of past.runsOf(asked)) {
    runs++;
    if (said === null) continue;
    judged++;
    if (run.outcome !== said.status) changed++;
    if (run.outcome === 'ok') oldPassed++;
    if (said.status === 'ok') newPassed++;
    lengthen(verdicts, run, said);
  }
  const uptime = { old: ofHundred(oldPassed, judged), new: ofHundred(newPassed, judged) };
  return { runs, judged, changed, uptime, verdicts };
}

const ofHundred = (passed: number, of: number): number | null => (of === 0 ? null : (passed / of) * 100);

function lengthen(stretches: Stretch[], run: PastRun['run'], said: Said): void {
  const at = new Date(run.at).toISOString();
  const last = stretches.at(-1);
  if (last?.old === run.outcome && last.new === said.status) stretches.splice(-1, 1, { ...last, to: at, runs: last.runs + 1 });
  else stretches.push({ from: at, to: at, runs: 1, old: run.outcome, new: said.status, failures: said.failures });
}
