import type { ImportedRule } from '../imported-site.ts';
import { type SourceObject, textIn } from '../source-values.ts';
import { literalPattern } from './patterns.ts';

export type ReadAssertion =
  | { readonly kind: 'rules'; readonly rules: readonly ImportedRule[] }
  | { readonly kind: 'missing'; readonly shown: string; readonly reason: string };

const NUMBER_OPERATORS: Readonly<Record<string, string>> = { EQUALS: 'eq', NOT_EQUALS: '!match', GREATER_THAN: 'gt', LESS_THAN: 'lt' };
const TEXT_OPERATORS: Readonly<Record<string, string>> = {
  EQUALS: 'match',
  NOT_EQUALS: '!match',
  CONTAINS: 'sub',
  NOT_CONTAINS: '!sub',
  HAS_VALUE: 'match',
  NOT_HAS_VALUE: '!match',
  GREATER_THAN: 'gt',
  LESS_THAN: 'lt',
};

/** The rules that hold where an assertion does. */
export function readAssertion(assertion: SourceObject): ReadAssertion {
  const [source, property, comparison, target] = ['source', 'property', 'comparison', 'target'].map((name) => textIn(assertion[name]));
  const found = rulesFor(source ?? '', (property ?? '').trim(), comparison ?? '', target ?? '', textIn(assertion['regex']));
  if (typeof found !== 'string') return { kind: 'rules', rules: found };
  return { kind: 'missing', shown: [source, property, comparison, target].filter((part) => part !== '').join(' '), reason: found };
}

/** A text says why there are none. */
function rulesFor(source: string, property: string, comparison: string, target: string, pattern: string): readonly ImportedRule[] | string {
  const number = NUMBER_OPERATORS[comparison];
  if (source === 'STATUS_CODE') return number === undefined ? NO_COMPARISON : [{ type: 'status', op: number, val: target }];
  if (source === 'RESPONSE_TIME')
    return number === undefined || number === '!match' ? NO_COMPARISON : [{ type: 'time', op: number, val: target }];
  if (pattern !== '') return 'a part of the value, by a pattern, has no equal';
  if (source === 'HEADERS') return headerRules(property, comparison, target);
  if (source === 'TEXT_BODY')
    return property === '' ? valueRules('html', comparison, target) : 'a part of the text, by a pattern, has no equal';
  if (source === 'JSON_BODY') return jsonRules(property === '' ? '$' : property, comparison, target);
  return `${source || 'without a source'}: rules do not examine it`;
}

const NO_COMPARISON = 'the comparison has no equal';

const EMPTY = String.raw`^\s*$`;

function valueRules(type: string, comparison: string, target: string): readonly ImportedRule[] | string {
  if (comparison === 'IS_EMPTY' || comparison === 'NOT_EMPTY')
    return [{ type, op: comparison === 'IS_EMPTY' ? 'regex' : '!regex', val: EMPTY }];
  const op = TEXT_OPERATORS[comparison];
  const isOrder = op === 'gt' || op === 'lt';
  return op === undefined || (isOrder && !type.startsWith('json:')) ? NO_COMPARISON : [{ type, op, val: target }];
}

const EMPTY_JSON = String.raw`^(?:|\[\]|\{\}|null)$`;

function jsonRules(path: string, comparison: string, target: string): readonly ImportedRule[] | string {
  const type = `json:${path}`;
  if (comparison === 'HAS_KEY' || comparison === 'NOT_HAS_KEY') {
    const key = target === '' ? type : `${type}[${JSON.stringify(target)}]`;
    return [{ type: key, op: comparison === 'HAS_KEY' ? 'sub' : '!sub', val: '' }];
  }
  if (comparison === 'IS_NULL' || comparison === 'NOT_NULL')
    return [{ type, op: comparison === 'IS_NULL' ? 'match' : '!match', val: 'null' }];
  if (comparison === 'IS_EMPTY') return [{ type, op: 'regex', val: EMPTY_JSON }];
  if (comparison === 'NOT_EMPTY')
    return [
      { type, op: '!regex', val: EMPTY_JSON },
      { type, op: 'sub', val: '' },
    ];
  return valueRules(type, comparison, target);
}

/** Over a line `Name: value`. */
function headerRules(name: string, comparison: string, target: string): readonly ImportedRule[] | string {
  const line = (value: string): string => `^(?i:${literalPattern(name)}): ${value}`;
  const isNegative = comparison.startsWith('NOT_') && comparison !== 'NOT_EMPTY';
  const patterns: Readonly<Record<string, string>> = {
    EQUALS: `${literalPattern(target)}$`,
    NOT_EQUALS: `${literalPattern(target)}$`,
    CONTAINS: `.*${literalPattern(target)}`,
    NOT_CONTAINS: `.*${literalPattern(target)}`,
    HAS_VALUE: `${literalPattern(target)}$`,
    NOT_HAS_VALUE: `${literalPattern(target)}$`,
    HAS_KEY: '',
    NOT_HAS_KEY: '',
    IS_EMPTY: String.raw`\s*$`,
    NOT_EMPTY: String.raw`.*\S`,
  };
  const pattern = patterns[comparison];
  return pattern === undefined ? NO_COMPARISON : [{ type: 'header', op: isNegative ? '!regex' : 'regex', val: line(pattern) }];
}
