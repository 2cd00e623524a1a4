import type { ImportedRule } from '../imported-site.ts';
import { durationMilliseconds } from './go-duration.ts';
import { globPattern, literalPattern } from './patterns.ts';
import { DAY_MS } from '../../kernel/time.ts';

/** `implied`: true of every check that passes. `nearest` says how the rules differ from the condition. */
export type ReadCondition =
  | { readonly kind: 'rules'; readonly rules: readonly ImportedRule[]; readonly nearest?: string }
  | { readonly kind: 'implied' }
  | { readonly kind: 'missing'; readonly reason: string };

/** The order in which Gatus searches for them. */
const OPERATORS = ['==', '!=', '<=', '>=', '>', '<'] as const;
type Operator = (typeof OPERATORS)[number];

const MIRRORED: Readonly<Record<Operator, Operator>> = { '==': '==', '!=': '!=', '<=': '>=', '>=': '<=', '>': '<', '<': '>' };
const COMPARISONS = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const;
type Comparison = keyof typeof COMPARISONS;

const NO_EQUAL: Readonly<Record<string, string>> = {
  '[IP]': 'a check does not compare the address behind a name',
  '[DNS_RCODE]': 'a check does not query DNS',
  '[DOMAIN_EXPIRATION]': 'a check does not ask when a domain expires',
};

const missing = (reason: string): ReadCondition => ({ kind: 'missing', reason });
const rules = (...made: readonly ImportedRule[]): ReadCondition => ({ kind: 'rules', rules: made });
const rule = (type: string, op: string, val: string | number): ImportedRule => ({ type, op, val: String(val) });

/** Reads every form of condition that Gatus has into the rules that mean the same. */
export function readCondition(text: string): ReadCondition {
  const operator = OPERATORS.find((one) => text.includes(` ${one} `));
  if (operator === undefined) return missing('it has no comparison');
  const [left = '', right = ''] = text.split(` ${operator} `).map((part) => part.trim());
  if (isPlaceholder(left)) return isPlaceholder(right) ? ofTwo(left, operator, right) : ofOne(left, operator, right);
  return isPlaceholder(right) ? ofOne(right, MIRRORED[operator], left) : missing('it compares nothing of the answer');
}

const isPlaceholder = (text: string): boolean => /^(?:(?:len|has)\(\[[A-Z_]+\].*\)|\[[A-Z_]+\].*)$/is.test(text);

function ofOne(placeholder: string, operator: Operator, value: string): ReadCondition {
  const [, fn = '', inner = placeholder] = /^(len|has)\((.*)\)$/s.exec(placeholder) ?? [];
  const name = /^\[[A-Z_]+\]/i.exec(inner)?.[0] ?? '';
  const path = inner.slice(name.length);
  const upper = name.toUpperCase();
  if (upper === '[BODY]') return ofBody(fn, path, operator, value);
  if (fn !== '') return missing(`${fn}() of ${upper} has no equal`);
  if (upper === '[STATUS]') return ofText('status', operator, value);
  if (upper === '[RESPONSE_TIME]') return ofNumber('time', operator, milliseconds(value));
  if (upper === '[CERTIFICATE_EXPIRATION]') return ofCertificate(operator, milliseconds(value));
  if (upper === '[CONNECTED]')
    return operator === '==' && value === 'true' ? { kind: 'implied' } : missing('a check fails where it cannot connect');
  if (upper === '[CONTEXT]') return missing('it compares a value of a suite');
  return missing(NO_EQUAL[upper] ?? `${upper} has no equal`);
}

const isComparison = (operator: Operator): operator is Comparison => operator in COMPARISONS;

/** A duration, or a number as Go reads it; fractions are cut off. */
function milliseconds(text: string): number | null {
  const duration = durationMilliseconds(text);
  if (duration !== null && duration !== 0) return Math.trunc(duration);
  return /^[+-]?(?:0[xX][\da-fA-F]+|\d+(?:\.\d+)?)$/.test(text) ? Math.trunc(Number(text)) : null;
}

function ofNumber(type: string, operator: Operator, value: number | null): ReadCondition {
  if (value === null) return missing('it compares with what is no number');
  if (isComparison(operator)) return rules(rule(type, COMPARISONS[operator], value));
  return operator === '==' ? rules(rule(type, 'eq', value)) : missing('times are compared by their order only');
}

/** Rules count whole days. */
function ofCertificate(operator: Operator, value: number | null): ReadCondition {
  if (value === null || !isComparison(operator)) return missing('the days of a certificate are compared by their order only');
  const days = Math.ceil(value / DAY_MS);
  const made = rule('cert:days', operator.startsWith('>') ? 'gte' : 'lt', days);
  if (value % DAY_MS === 0) return rules(made);
  return { kind: 'rules', rules: [made], nearest: `a certificate is judged by whole days: ${String(days)}` };
}

/** Texts: equal, one of several, or a pattern. */
function ofText(type: string, operator: Operator, value: string): ReadCondition {
  if (isComparison(operator)) return ofNumber(type, operator, milliseconds(value));
  const isNegative = operator === '!=';
  const [, fn = '', argument = ''] = /^(pat|any)\((.*)\)$/s.exec(value) ?? [];
  if (fn === 'any') {
    const choices = argument.split(',').map((choice) => literalPattern(choice.trim()));
    return rules(rule(type, isNegative ? '!regex' : 'regex', `^(?:${choices.join('|')})$`));
  }
  if (fn === 'pat') return ofGlob(type, isNegative, argument);
  return rules(rule(type, isNegative ? '!match' : 'eq', value));
}

function ofGlob(type: string, isNegative: boolean, glob: string): ReadCondition {
  const contained = /^\*([^*?[\\]+)\*$/.exec(glob)?.[1];
  if (/^\*+$/.test(glob)) return isNegative ? missing('it never holds') : { kind: 'implied' };
  if (contained !== undefined) return rules(rule(type, isNegative ? '!sub' : 'sub', contained));
  return rules(rule(type, isNegative ? '!regex' : 'regex', globPattern(glob)));
}

function ofBody(fn: string, path: string, operator: Operator, value: string): ReadCondition {
  const query = path === '' ? '$' : jsonPathOf(path);
  if (query === null) return missing('its JSON path cannot be read');
  if (fn === 'has') return ofExistence(path, query, operator, value);
  if (fn === 'len') return ofLength(query, operator, milliseconds(value));
  if (path !== '') return ofText(`json:${query}`, operator, value);
  // A whole body that is compared as a number is JSON.
  return ofText(isComparison(operator) ? 'json:$' : 'html', operator, value);
}

function ofExistence(path: string, query: string, operator: Operator, value: string): ReadCondition {
  if (isComparison(operator) || !/^(?:true|false)$/.test(value)) return missing('has() is true or false');
  const isThere = (value === 'true') === (operator === '==');
  if (path === '') return rules(rule('html', isThere ? 'regex' : '!regex', String.raw`\S`));
  return rules(rule(`json:${query}`, isThere ? 'sub' : '!sub', ''));
}

const HOLDS: Readonly<Record<Operator, (left: number, right: number) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
};

/** A filter that is true for each element of the root or for none. An empty list has no elements, so a condition that holds for it is negated. */
function ofLength(query: string, operator: Operator, value: number | null): ReadCondition {
  if (value === null) return missing('it compares with what is no number');
  const length = `length(${query}) ${operator} ${String(value)}`;
  if (query !== '$') return rules(rule(`json:$[?${length}]`, 'sub', ''));
  const made = HOLDS[operator](0, value) ? rule(`json:$[?!(${length})]`, '!sub', '') : rule(`json:$[?${length}]`, 'sub', '');
  return { kind: 'rules', rules: [made], nearest: 'len([BODY]) counts the elements of a JSON list; of a text, compare the size' };
}

/** Two values of one answer. */
function ofTwo(left: string, operator: Operator, right: string): ReadCondition {
  const [first, second] = [left, right].map(operandOf);
  if (first == null || second == null) return missing('it compares two values that are not both in a JSON answer');
  return rules(rule(`json:$[?${first} ${operator} ${second}]`, 'sub', ''));
}

function operandOf(placeholder: string): string | null {
  const [, fn, path = ''] = /^(len\()?\[BODY\]([.[].*?)\)?$/is.exec(placeholder) ?? [];
  const query = path === '' ? null : jsonPathOf(path);
  return query === null || fn === undefined ? query : `length(${query})`;
}

/** `.data[0].id` as RFC 9535 writes it; null for anything but names and indexes. */
export function jsonPathOf(path: string): string | null {
  let query = '$';
  let rest = path;
  while (rest !== '') {
    const [taken = '', index, name] = /^(?:\[(\d+)\]|\.?([^.[\]]+))/.exec(rest) ?? [];
    if (taken === '') return null;
    if (index !== undefined) query += `[${index}]`;
    else if (name !== undefined) query += /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    rest = rest.slice(taken.length);
  }
  return query;
}
