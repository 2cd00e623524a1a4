import { LOOK_BACK } from '../instability.ts';
import { type AcceptedRun, CONFIRMS_AFTER } from './recent-runs.ts';
import type { Failing } from './verdict.events.ts';
import type { EventChain } from '../../kernel/event.ts';
import type { Run } from '../../platform/observations/runs/run.ts';
import type { WholeRun } from '../../platform/observations/runs/run-store.ts';
import type { VerdictRow } from './verdict.view.ts';

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

/** What of a run decides. `rules`: those that failed; null where they are not kept. */
export interface DecidingRun extends Pick<Run, 'at' | 'outcome' | 'confirming'> {
  readonly rules: readonly string[] | null;
}

/** Null for a run that was stored without its decision. */
export function decidingRun(run: WholeRun): DecidingRun | null {
  const decision = decisionOf(run);
  if (decision === null) return null;
  const { failing, confirming } = decision;
  return { at: run.at, outcome: failing?.status ?? 'ok', confirming, rules: failing?.rules ?? [] };
}

/**
 * Whether a stored run has changed what the verdict says, by an event that this verdict does not contain yet: it was stored before it was decided. A suspicion
 * changes nothing that is shown. While a check is unstable, its suspicions are not in the verdict: there the run made to confirm counts as confirming.
 */
export function awaitsVerdict({ at, outcome, confirming, rules }: DecidingRun, verdict: VerdictRow | undefined): boolean {
  if (verdict === undefined) return true;
  if (at <= Date.parse(verdict.evidence.at)) return false;
  if (verdict.status !== 'ok') return outcome !== verdict.status || (rules !== null && !isSameSet(rules, verdict));
  if (outcome === 'ok') return false;
  const suspectedFor = verdict.suspectedSince === null ? 0 : at - Date.parse(verdict.suspectedSince);
  return confirming || (suspectedFor >= CONFIRMS_AFTER && suspectedFor <= LOOK_BACK);
}

const isSameSet = (rules: readonly string[], { failing }: VerdictRow): boolean => rules.join('\n') === failing?.rules.join('\n');

export const isSameFailure = ({ status, rules }: Failing, verdict: VerdictRow): boolean =>
  status === verdict.status && isSameSet(rules, verdict);
