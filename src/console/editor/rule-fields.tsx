import type { Schemas } from '../../client.ts';
import { Glyph } from '../parts/glyph.tsx';
import type { CheckDraft, DraftRule } from './draft.ts';
import { firstOperator, OPERATORS, type ShownOperator, SUGGESTED_TYPES } from './rule-words.ts';

type JudgedRule = NonNullable<Schemas['TrialResult']['findings']>['rules'][number];

interface RuleFieldsProps {
  readonly draft: CheckDraft;
  readonly judged: readonly JudgedRule[];
  readonly isTrying: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (rules: readonly DraftRule[]) => void;
}

/** The rules, each with what it found on the page just now. */
export function RuleFields({ draft: { rules }, judged, isTrying, isReadOnly, onChange }: RuleFieldsProps) {
  const change = (key: number, changes: Partial<DraftRule>): void =>
    onChange(rules.map((rule) => (rule.key === key ? { ...rule, ...changes } : rule)));
  const next = Math.max(-1, ...rules.map(({ key }) => key)) + 1;
  return (
    <section class="section" aria-labelledby="rules">
      <h2 id="rules">
        Rules <span class="chart-legend">the check passes when all hold</span>
      </h2>
      <datalist id="rule-types">
        {SUGGESTED_TYPES.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      {rules.map((rule) => {
        const found = judged.find(
          ({ type, op, val, owner }) => owner === 'own' && type === rule.type && op === rule.op && val === rule.val,
        );
        return (
          <fieldset key={rule.key} class="rule-fields" disabled={isReadOnly}>
            <legend class="hidden">Rule</legend>
            <Glyph state={found === undefined ? 'unknown' : found.result === 'failed' ? 'failing' : 'working'} />
            <input
              aria-label="Part of the answer"
              list="rule-types"
              spellcheck={false}
              value={rule.type}
              onInput={({ currentTarget: { value } }) => change(rule.key, { type: value })}
            />
            <select
              aria-label="How it compares"
              value={rule.op}
              onChange={({ currentTarget: { value } }) => change(rule.key, { op: value as ShownOperator })}
            >
              {Object.entries(OPERATORS).map(([op, words]) => (
                <option key={op} value={op}>
                  {words}
                </option>
              ))}
            </select>
            <input
              aria-label="What is expected"
              class="mono"
              spellcheck={false}
              value={rule.val}
              onInput={({ currentTarget: { value } }) => change(rule.key, { val: value })}
            />
            <button
              type="button"
              class="quiet"
              aria-label="Remove the rule"
              onClick={() => onChange(rules.filter(({ key }) => key !== rule.key))}
            >
              ×
            </button>
            <p class={found?.result === 'failed' ? 'problem' : 'soft'}>
              {isTrying && found === undefined ? 'being tried …' : wordsOf(found)}
            </p>
          </fieldset>
        );
      })}
      {!isReadOnly && (
        <p>
          <button type="button" onClick={() => onChange([...rules, { key: next, type: 'text', op: firstOperator('text'), val: '' }])}>
            Add a rule
          </button>
        </p>
      )}
    </section>
  );
}

function wordsOf(found: JudgedRule | undefined): string {
  if (found === undefined) return '';
  const place =
    found.bytes === null ? '' : `Line ${String(found.bytes.line)}, bytes ${String(found.bytes.from)} to ${String(found.bytes.to)}.`;
  return found.sentence === null ? (place === '' ? 'It holds.' : `Found: ${place}`) : `${found.sentence}.`;
}
