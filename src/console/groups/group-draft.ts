import type { Schemas } from '../../client.ts';
import { type DraftRule, draftRules, rulesOf, rulesSentence } from '../editor/draft.ts';
import type { ShownOperator } from '../editor/rule-words.ts';

/** A group as its form holds it. */
export interface GroupDraft {
  readonly name: string;
  readonly period: Schemas['Area']['period'];
  /** In blocks, as the API has them. */
  readonly blocks: readonly (readonly DraftRule[])[];
}

export const emptyGroup: GroupDraft = { name: '', period: 'true', blocks: [[]] };

export const groupDraftOf = ({ name, period, rules }: Pick<Schemas['Area'], 'name' | 'period' | 'rules'>): GroupDraft => ({
  name,
  period,
  // Cast: the operators are those of rules of checks.
  blocks:
    rules.length === 0 ? [[]] : rules.map((block) => draftRules(block as readonly { type: string; op: ShownOperator; val: string }[])),
});

const blocksOf = ({ blocks }: GroupDraft) => blocks.map((rules) => [...rulesOf({ rules })]).filter((block) => block.length > 0);

/** What differs from what is saved, as the API takes it. */
export function groupChanges(before: GroupDraft, after: GroupDraft): Schemas['AreaPatch'] {
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(after.period !== before.period && { period: after.period }),
    ...(JSON.stringify(blocksOf(after)) !== JSON.stringify(blocksOf(before)) && { rules: blocksOf(after) }),
  };
}

/** What saving would change, as a sentence; empty: nothing. */
export function groupSentence(before: GroupDraft, after: GroupDraft): string {
  const { name, period } = groupChanges(before, after);
  const parts = [
    name === undefined ? '' : `renames it to “${after.name}”`,
    period === undefined ? '' : 'changes how often its checks run',
    ...rulesSentence(blocksOf(before).flat(), blocksOf(after).flat()),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `Saving ${parts.join(', ')}.`;
}
