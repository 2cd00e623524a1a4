import { type Before, judgedIntervals, type JudgedRun, type Outcome } from '../../domain/verdict/timeline.ts';
import { packIntervals } from '../../observations/codec/intervals.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import type { JudgePast, PastAsked } from './judge-past.ts';

/** What a correction says of its time. */
export interface CorrectionFound {
  readonly runs: number;
  readonly judged: number;
  readonly changed: number;
  readonly verdicts: string;
}

const outcomes: readonly Outcome[] = ['ok', 'error', 'timeout'];
const HOUR = 3_600_000;
/** How far back the run is looked for that still holds when the time begins: further than any period. */
const LOOK_BACK = [2 * HOUR, 26 * HOUR, 8 * 24 * HOUR];
/** The run that confirms the last failure, or does not, is made within half a minute. */
const CONFIRMED_WITHIN = 120_000;

/** Judges the runs of a time again, and tells when which verdict would have held. `before`: what held when it begins. */
export async function findCorrection(
  past: Pick<JudgePast, 'runsOf'>,
  runs: Pick<RunStore, 'between'>,
  asked: PastAsked,
  before: Before,
): Promise<CorrectionFound> {
  const { from, to } = asked;
  const begin = await holdingAt(runs, asked);
  const judged: JudgedRun[] = [];
  const found = { runs: 0, judged: 0, changed: 0 };
  for await (const { run, said } of past.runsOf({ ...asked, from: begin, to: to + CONFIRMED_WITHIN })) {
    judged.push({ at: run.at, outcome: said?.status ?? null });
    if (run.at < from || run.at >= to) continue;
    found.runs++;
    if (said === null) continue;
    found.judged++;
    if (said.status !== run.outcome) found.changed++;
  }
  const verdicts = judgedIntervals(judged, before, { from, to });
  return { ...found, verdicts: packIntervals(outcomes, from, verdicts).toString('base64') };
}

/** When the last run before the time was made; where there is none, the time itself. */
async function holdingAt(runs: Pick<RunStore, 'between'>, { projectId, checkId, from }: PastAsked): Promise<number> {
  for (const back of LOOK_BACK) {
    const last = (await runs.between(projectId, from - back, from, checkId)).at(-1);
    if (last !== undefined) return last.at;
  }
  return from;
}
