import type { Failing } from '../../domain/verdict/verdict.events.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import type { Judge } from '../judging/judge.ts';
import type { FetchOutcome } from '../probe/outcome.ts';
import { storedAnswer } from '../rules/stored-answer.ts';
import type { NamedRule } from './run-settings.ts';

/** What one fetch says about a check; `own`: nothing, the trouble is ours. */
export type Finding =
  { readonly kind: 'found'; readonly failing: Failing | null } | { readonly kind: 'inconclusive'; readonly reason: string };

export async function findingOf(
  outcome: FetchOutcome,
  rules: readonly NamedRule[],
  check: CheckRow,
  defaultErrors: boolean,
  judge: Pick<Judge, 'judge'>,
): Promise<Finding> {
  switch (outcome.kind) {
    case 'inconclusive':
      return { kind: 'inconclusive', reason: outcome.reason };
    case 'timedOut':
      return found('timeout', ['fetch'], [outcome.reason]);
    case 'failed':
      return found('error', [`fetch ${outcome.code}`], [outcome.reason]);
    case 'answered': {
      const job = { answer: storedAnswer(outcome), rules, type: check.settings.type, defaultErrors };
      // By project: the hostile pages of one share the slow lane, and hold up nobody else.
      const judgement = await judge.judge(job, check.projectId);
      if (judgement.kind === 'inconclusive') return { kind: 'inconclusive', reason: judgement.reason };
      const { failures } = judgement;
      if (failures.length === 0) return { kind: 'found', failing: null };
      const names = failures.map(({ rule }) => (rule === null ? 'page' : (rules[rule]?.name ?? 'page')));
      return found(
        'error',
        names,
        failures.map(({ sentence }) => sentence),
      );
    }
  }
}

const found = (status: Failing['status'], rules: readonly string[], failures: readonly string[]): Finding => ({
  kind: 'found',
  failing: { status, rules: [...new Set(rules)].sort(), failures },
});
