import { type Before, judgedIntervals, type JudgedRun, type Outcome } from '../verdicts/timeline.ts';
import { packIntervals } from '../../platform/observations/codec/intervals.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import type { PastJudge, PastQuery } from './judge-past.ts';
import { HOUR_MS } from '../../kernel/time.ts';

/** The result of judging a period again. */
export interface CorrectionFound {
  readonly runs: number;
  readonly judged: number;
  readonly changed: number;
  readonly verdicts: string;
}

const outcomes: readonly Outcome[] = ['ok', 'error', 'timeout'];
/** How far back to search for the run that holds when the period begins; the last one exceeds any check period. */
const LOOK_BACK = [2 * HOUR_MS, 26 * HOUR_MS, 8 * 24 * HOUR_MS];
/** A confirming run follows within half a minute, after the end of the period too. */
const CONFIRMED_WITHIN = 120_000;

/** Judges the runs of a period again, and returns which verdict would have held when. `before`: what held when the period began. */
export async function findCorrection(
  past: Pick<PastJudge, 'runsOf'>,
  runs: Pick<RunStore, 'between'>,
  query: PastQuery,
  before: Before,
): Promise<CorrectionFound> {
  const { from, to } = query;
  const begin = await lastRunBefore(runs, query);
  const judged: JudgedRun[] = [];
  const found = { runs: 0, judged: 0, changed: 0 };
  for await (const { run, rejudged } of past.runsOf({ ...query, from: begin, to: to + CONFIRMED_WITHIN })) {
    judged.push({ at: run.at, outcome: rejudged?.status ?? null });
    if (run.at < from || run.at >= to) continue;
    found.runs++;
    if (rejudged === null) continue;
    found.judged++;
    if (rejudged.status !== run.outcome) found.changed++;
  }
  const verdicts = judgedIntervals(judged, before, { from, to });
  return { ...found, verdicts: packIntervals(outcomes, from, verdicts).toString('base64') };
}

/** The instant of the last run before the period; without one, the begin of the period. */
async function lastRunBefore(runs: Pick<RunStore, 'between'>, { projectId, checkId, from }: PastQuery): Promise<number> {
  for (const back of LOOK_BACK) {
    const last = (await runs.between(projectId, from - back, from, checkId)).at(-1);
    if (last !== undefined) return last.at;
  }
  return from;
}
