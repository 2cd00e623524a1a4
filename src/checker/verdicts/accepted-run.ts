import type { AcceptedRun } from '../../domain/verdict/recent-runs.ts';
import type { EventChain } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { WholeRun } from '../../observations/runs/run-store.ts';
import type { Run } from '../../observations/runs/run.ts';

/** As much of a stored run as looking back needs. */
export const acceptedOf = (run: Run): AcceptedRun => ({
  at: run.at,
  failing: run.outcome === 'ok' ? null : { status: run.outcome, rules: [], failures: run.failures },
  evidence: {
    runId: derivedId('run', run.checkId, run.at),
    url: '',
    at: new Date(run.at).toISOString(),
    location: '',
    httpStatus: run.httpStatus === 0 ? null : run.httpStatus,
    milliseconds: run.total,
    page: run.page,
  },
});

/** What a run that was kept whole said, to decide from it again. */
export interface KeptDecision {
  readonly failing: AcceptedRun['failing'];
  readonly evidence: AcceptedRun['evidence'];
  readonly confirming: boolean;
  readonly chain: EventChain | null;
}

/** Stands in the whole run under this name, beside what clients read. */
const DECISION = 'decision';

export const withDecision = (whole: object, decision: KeptDecision): object => ({ ...whole, [DECISION]: decision });

/** Null: kept by somebody who did not write it down. */
export function decisionOf({ whole }: WholeRun): KeptDecision | null {
  // Written by `withDecision` alone, and kept as it was.
  return DECISION in whole ? (whole[DECISION] as KeptDecision) : null;
}
