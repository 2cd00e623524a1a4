import type { ShownOperator } from './rule-words.ts';

export interface DraftRule {
  /** Of this page only, so that a field stays the same while others come and go. */
  readonly key: number;
  readonly type: string;
  readonly op: ShownOperator;
  readonly val: string;
}

/** A check as its form holds it. */
export interface CheckDraft {
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly rules: readonly DraftRule[];
}

interface SavedCheck {
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly rules: readonly { readonly type: string; readonly op: ShownOperator; readonly val: string }[];
}

export const emptyDraft: CheckDraft = { name: '', url: '', enabled: true, rules: [{ key: 0, type: 'status', op: 'eq', val: '200' }] };

export const draftOf = ({ name, url, enabled, rules }: SavedCheck): CheckDraft => ({
  ...{ name, url, enabled },
  rules: rules.map(({ type, op, val }, key) => ({ key, type, op, val })),
});

/** As the API takes rules: those without a value say nothing yet. */
export const rulesOf = ({ rules }: CheckDraft): readonly { readonly type: string; readonly op: ShownOperator; readonly val: string }[] =>
  rules.flatMap(({ type, op, val }) => (type === '' || val === '' ? [] : [{ type, op, val }]));

const counted = (number: number, what: string): string => `${String(number)} ${what}${number === 1 ? '' : 's'}`;

/** What saving would change, as a sentence; empty: nothing. */
export function changesSentence(before: CheckDraft, after: CheckDraft): string {
  const text = (rules: ReturnType<typeof rulesOf>): readonly string[] => rules.map(({ type, op, val }) => JSON.stringify([type, op, val]));
  const [old, wanted] = [text(rulesOf(before)), text(rulesOf(after))];
  const added = wanted.filter((rule) => !old.includes(rule)).length;
  const removed = old.filter((rule) => !wanted.includes(rule)).length;
  const parts = [
    before.name === after.name ? '' : `renames it to “${after.name}”`,
    before.url === after.url ? '' : `fetches ${after.url}`,
    before.enabled === after.enabled ? '' : `switches it ${after.enabled ? 'on' : 'off'}`,
    added === 0 ? '' : `adds ${counted(added, 'rule')}`,
    removed === 0 ? '' : `removes ${counted(removed, 'rule')}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `Saving ${parts.join(', ')}.`;
}
