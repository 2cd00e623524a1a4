import { detectError } from '../detectors/detect-error.ts';
import { typeFailure } from '../detectors/check-type.ts';
import { endFailure } from '../detectors/html-end.ts';
import { Page } from '../page/page.ts';
import { extractValue, isCheapExtraction } from '../rules/extract-value.ts';
import { simpleSearchCost } from '../rules/patterns.ts';
import type { RuleCondition, ValueOperator } from '../rules/rule.ts';
import { rowOf } from '../rules/rule-table.ts';
import { headerValue } from '../rules/stored-answer.ts';
import { valueFailure } from '../rules/value-rules.ts';
import type { JudgeEvent, JudgeJob, RuleFailure } from './judge-job.ts';

type Report = (event: JudgeEvent) => void;
type ValueRule = RuleCondition & { readonly op: ValueOperator };

export interface XPathRule {
  readonly index: number;
  readonly expression: string;
}

/** Injected, because only the worker threads load libxml2. */
export type JudgeXPaths = (page: Page, rules: readonly XPathRule[], report: Report) => void;

const isValueRule = (rule: RuleCondition): rule is ValueRule => rule.op !== 'xpath';
const expectsStatus = ({ type, op }: RuleCondition): boolean => type === 'status' && !op.startsWith('!');
const isPattern = ({ op }: RuleCondition): boolean => op === 'regex' || op === '!regex';
/** Patterns, and types whose time depends on the page: one of them may exceed the limit of a worker thread. */
const isSlow = (rule: RuleCondition): boolean => isPattern(rule) || rowOf(rule.type).isExpensive === true;

/** Cheap rules first, so that a stopped job has reported as much as possible. A pure function of the job. */
export function judgePage(
  { answer, rules, type, defaultErrors, endExpected = false, extract = [] }: JudgeJob,
  report: Report,
  judgeXPaths?: JudgeXPaths,
): void {
  const page = new Page({ body: answer.body, contentType: headerValue(answer, 'content-type') ?? '', cut: answer.cut });
  let failures = 0;
  const countAndReport: Report = (event) => {
    if (event.kind === 'ruleFailed') failures++;
    report(event);
  };
  const reportFailure = (rule: number | null, sentence: string | null): void => {
    if (sentence !== null) countAndReport({ kind: 'ruleFailed', failure: { rule, sentence } });
  };
  reportFailure(null, typeFailure(type, answer, page));
  const valueRules = rules.flatMap((rule, index) => (isValueRule(rule) ? [{ rule, index }] : []));
  for (const { rule, index } of valueRules) if (!isSlow(rule)) reportFailure(index, valueFailure(rule, answer, page));
  for (const { rule, index } of valueRules) {
    if (!isSlow(rule)) continue;
    report({ kind: 'ruleStarted', rule: index });
    reportFailure(index, valueFailure(rule, answer, page));
  }
  const xpaths = rules.flatMap(({ op, val }, index) => (op === 'xpath' ? [{ index, expression: val }] : []));
  if (xpaths.length > 0) judgeXPaths?.(page, xpaths, countAndReport);
  // Only a page has to have content: many an endpoint answers a HEAD, a POST or a DELETE with nothing.
  const mayBeEmpty = answer.method !== undefined && page.html.trim() === '';
  if (failures === 0 && defaultErrors && !mayBeEmpty)
    reportFailure(null, detectError(answer, page, rules.some(expectsStatus)) ?? (endExpected ? endFailure(answer, page) : null));
  for (const [index, extraction] of extract.entries()) {
    report({ kind: 'ruleStarted', rule: rules.length + index });
    const extracted = extractValue(extraction, answer, page);
    if (extracted.ok) report({ kind: 'extracted', name: extraction.name, value: extracted.value });
    else reportFailure(rules.length + index, extracted.sentence);
  }
}

/** By the order of the rules; failures without a rule come first. */
export const byRule = (failures: readonly RuleFailure[]): RuleFailure[] => [...failures].sort((a, b) => (a.rule ?? -1) - (b.rule ?? -1));

/** Indexes of the expensive rules, in the order in which they are judged. */
export const expensiveRules = (rules: readonly RuleCondition[]): number[] => {
  const indexes = (isWanted: (rule: RuleCondition) => boolean): number[] => rules.flatMap((rule, index) => (isWanted(rule) ? [index] : []));
  return [...indexes((rule) => isValueRule(rule) && isSlow(rule)), ...indexes(({ op }) => op === 'xpath')];
};

const SMALL_PAGE = 128 * 1024;
const CHEAP_SEARCH = 1_000_000;

/** Whether a job with all of its rules takes a few milliseconds at most, and may run on the main thread. */
export function isCheap({ answer, rules, extract = [] }: JudgeJob): boolean {
  if (!extract.every(isCheapExtraction)) return false;
  if (answer.body.length > SMALL_PAGE || rules.some(({ op, type }) => op === 'xpath' || rowOf(type).isExpensive === true)) return false;
  const costs = rules.filter(isPattern).map(({ val }) => simpleSearchCost(val, answer.body.length + 1000));
  return costs.reduce((sum, cost) => sum + cost, 0) < CHEAP_SEARCH;
}
