import { detectError } from '../detectors/detect-error.ts';
import { typeFailure } from '../detectors/check-type.ts';
import { Page } from '../page/page.ts';
import { compilePattern, searchCost } from '../rules/patterns.ts';
import type { Rule, ValueOperator } from '../rules/rule.ts';
import { headerValue } from '../rules/stored-answer.ts';
import { valueFailure } from '../rules/value-rules.ts';
import type { Failure, JudgeEvent, JudgeJob } from './judge-job.ts';

type Tell = (event: JudgeEvent) => void;
type ValueRule = Rule & { readonly op: ValueOperator };

/** Judges the XPaths among the rules; brought in where there is a thread for it. */
export type JudgeXPaths = (page: Page, rules: readonly { readonly place: number; readonly expression: string }[], tell: Tell) => void;

const isValueRule = (rule: Rule): rule is ValueRule => rule.op !== 'xpath';
const expectsStatus = ({ type, op }: Rule): boolean => type === 'status' && !op.startsWith('!');
const isPattern = ({ op }: Rule): boolean => op === 'regex' || op === '!regex';

/** The cheap first, so that whatever is stopped has told as much as it could. A pure function of the job. */
export function judgePage({ answer, rules, type, defaultErrors }: JudgeJob, tell: Tell, judgeXPaths?: JudgeXPaths): void {
  const page = new Page({ body: answer.body, contentType: headerValue(answer, 'content-type') ?? '', cut: answer.cut });
  let failures = 0;
  const tellOn: Tell = (event) => {
    if (event.kind === 'fails') failures++;
    tell(event);
  };
  const say = (rule: number | null, sentence: string | null): void => {
    if (sentence !== null) tellOn({ kind: 'fails', failure: { rule, sentence } });
  };
  say(null, typeFailure(type, answer, page));
  const valueRules = rules.flatMap((rule, place) => (isValueRule(rule) ? [{ rule, place }] : []));
  for (const { rule, place } of valueRules) if (!isPattern(rule)) say(place, valueFailure(rule, answer, page));
  for (const { rule, place } of valueRules) {
    if (!isPattern(rule)) continue;
    tell({ kind: 'begins', rule: place });
    say(place, valueFailure(rule, answer, page));
  }
  const xpaths = rules.flatMap(({ op, val }, place) => (op === 'xpath' ? [{ place, expression: val }] : []));
  if (xpaths.length > 0) judgeXPaths?.(page, xpaths, tellOn);
  if (failures === 0 && defaultErrors) say(null, detectError(answer, page, rules.some(expectsStatus)));
}

/** The order of the rules; what belongs to none of them comes first. */
export const inOrder = (failures: readonly Failure[]): Failure[] => [...failures].sort((a, b) => (a.rule ?? -1) - (b.rule ?? -1));

/** The rules that take time, in the order in which they are judged. */
export const heavyPlaces = (rules: readonly Rule[]): number[] => {
  const places = (wanted: (rule: Rule) => boolean): number[] => rules.flatMap((rule, place) => (wanted(rule) ? [place] : []));
  return [...places(isPattern), ...places(({ op }) => op === 'xpath')];
};

const SMALL_PAGE = 128 * 1024;
const CHEAP_SEARCH = 1_000_000;

/** Whether a job is small enough for the thread that everybody shares, with all of its rules: a few milliseconds at the very most. */
export function isLight({ answer, rules }: JudgeJob): boolean {
  if (answer.body.length > SMALL_PAGE || rules.some(({ op }) => op === 'xpath')) return false;
  const costs = rules.filter(isPattern).map(({ val }) => {
    const compiled = compilePattern(val);
    return compiled.ok ? searchCost(compiled.pattern, answer.body.length + 1000) : 0;
  });
  return costs.reduce((sum, cost) => sum + cost, 0) < CHEAP_SEARCH;
}
