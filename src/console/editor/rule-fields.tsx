import type { Schemas } from '../../client.ts';
import { capitalized } from '../parts/words.ts';
import { Glyph } from '../parts/glyph.tsx';
import type { DraftRule } from './draft.ts';
import { firstOperator, OPERATORS, operatorWords, type ShownOperator, SUGGESTED_TYPES } from './rule-words.ts';

type JudgedRule = NonNullable<Schemas['TrialResult']['findings']>['rules'][number];

interface RuleFieldsProps {
  /** Unique on the page, because a group has several lists. */
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly rules: readonly DraftRule[];
  /** Null when these rules are not tried. */
  readonly judged: readonly JudgedRule[] | null;
  readonly isTrying: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (rules: readonly DraftRule[]) => void;
}

/** The rules, each with what it found on the page just now. */
export function RuleFields({ id, title, hint, rules, judged, isTrying, isReadOnly, onChange }: RuleFieldsProps) {
  const change = (key: number, changes: Partial<DraftRule>): void =>
    onChange(rules.map((rule) => (rule.key === key ? { ...rule, ...changes } : rule)));
  const next = Math.max(-1, ...rules.map(({ key }) => key)) + 1;
  return (
    <section class="section" aria-labelledby={id}>
      <h2 id={id}>
        {title} <span class="chart-legend">{hint}</span>
      </h2>
      <datalist id={`${id}-types`}>
        {SUGGESTED_TYPES.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      {rules.map((rule) => {
        const found = judged?.find(
          ({ type, op, val, owner }) => owner === 'own' && type === rule.type && op === rule.op && val === rule.val,
        );
        return (
          <fieldset key={rule.key} class="rule-fields" disabled={isReadOnly}>
            <legend class="hidden">Rule</legend>
            {judged === null ? (
              <span />
            ) : (
              <Glyph state={found === undefined ? 'unknown' : found.result === 'failed' ? 'failing' : 'working'} />
            )}
            <input
              aria-label="Part of the answer"
              list={`${id}-types`}
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
            {!isReadOnly && (
              <button
                type="button"
                class="quiet"
                aria-label="Remove the rule"
                onClick={() => onChange(rules.filter(({ key }) => key !== rule.key))}
              >
                ×
              </button>
            )}
            {judged !== null && (
              <p class={found?.result === 'failed' ? 'problem' : 'soft'}>
                {isTrying && found === undefined ? 'being tried …' : wordsOf(found)}
              </p>
            )}
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

/** Rules of the group, which a check has as well: each with what it found. */
export function GroupRules({ judged }: { readonly judged: readonly JudgedRule[] }) {
  return (
    <section class="section" aria-labelledby="group-rules">
      <h2 id="group-rules">Rules of the group</h2>
      <ul class="rows-list">
        {judged.map((rule, index) => (
          <li key={index}>
            <Glyph state={rule.result === 'failed' ? 'failing' : 'working'} />
            <span class="grow">
              <strong>{rule.type}</strong> {operatorWords(rule.op)} <code>{rule.val}</code>{' '}
              <span class={rule.result === 'failed' ? 'problem' : 'soft'}>{wordsOf(rule)}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function wordsOf(found: JudgedRule | undefined): string {
  if (found === undefined) return '';
  const { sentence, bytes } = found;
  if (sentence !== null) return `${capitalized(sentence)}.`;
  return bytes === null ? 'It holds.' : `Found in line ${String(bytes.line)}, bytes ${String(bytes.from)} to ${String(bytes.to)}.`;
}
