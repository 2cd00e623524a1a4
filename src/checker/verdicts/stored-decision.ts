import { LOOK_BACK } from '../../domain/instability.ts';
import { type AcceptedRun, CONFIRMS_AFTER } from '../../domain/verdict/recent-runs.ts';
import type { Failing } from '../../domain/verdict/verdict.events.ts';
import type { EventChain } from '../../kernel/event.ts';
import type { WholeRun } from '../../observations/runs/run-store.ts';
import type { VerdictRow } from '../../projections/read-models/verdict/verdict.view.ts';

/** The input of a decision, stored with the run so that the decision can be repeated. */
export interface StoredDecision {
  readonly failing: AcceptedRun['failing'];
  readonly evidence: AcceptedRun['evidence'];
  readonly confirming: boolean;
  readonly chain: EventChain | null;
}

/** A member of the whole run, beside those that clients read. */
const DECISION = 'decision';

export const withDecision = (whole: object, decision: StoredDecision): object => ({ ...whole, [DECISION]: decision });

/** Null for a run that was stored without one. */
export function decisionOf({ whole }: WholeRun): StoredDecision | null {
  // Written by `withDecision` only, and stored unchanged.
  return DECISION in whole ? (whole[DECISION] as StoredDecision) : null;
}

/**
 * Whether a stored run has changed what the verdict says, by an event that this verdict does not contain yet: it was stored before it was decided. A suspicion
 * changes nothing that is shown. While a check is unstable, its suspicions are not in the verdict: there the run made to confirm counts as confirming.
 */
export function awaitsVerdict(run: WholeRun, verdict: VerdictRow | undefined): boolean {
  const decision = decisionOf(run);
  if (decision === null || verdict === undefined) return decision !== null;
  if (run.at <= Date.parse(verdict.evidence.at)) return false;
  const { failing, confirming } = decision;
  if (verdict.status !== 'ok') return failing === null || !isSameFailure(failing, verdict);
  if (failing === null) return false;
  const suspectedFor = verdict.suspectedSince === null ? 0 : run.at - Date.parse(verdict.suspectedSince);
  return confirming || (suspectedFor >= CONFIRMS_AFTER && suspectedFor <= LOOK_BACK);
}

export const isSameFailure = (failing: Failing, { status, failing: known }: VerdictRow): boolean =>
  failing.status === status && failing.rules.join('\n') === known?.rules.join('\n');
