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
  let failed = false;
  const tellOn: Tell = (event) => {
    failed ||= event.kind === 'fails';
    tell(event);
  };
  const ofType = typeFailure(type, answer, page);
  if (ofType !== null) tellOn(fails(null, ofType));
  const places = rules.map((rule, place) => ({ rule, place }));
  const judge = (rule: ValueRule, place: number): void => {
    const sentence = valueFailure(rule, answer, page);
    if (sentence !== null) tellOn(fails(place, sentence));
  };
  for (const { rule, place } of places) if (isValueRule(rule) && !isPattern(rule)) judge(rule, place);
  for (const { rule, place } of places) {
    if (!isValueRule(rule) || !isPattern(rule)) continue;
    tell({ kind: 'begins', rule: place });
    judge(rule, place);
  }
  const xpaths = places.flatMap(({ rule, place }) => (rule.op === 'xpath' ? [{ place, expression: rule.val }] : []));
  if (xpaths.length > 0) judgeXPaths?.(page, xpaths, tellOn);
  if (!failed && defaultErrors) {
    const error = detectError(answer, page, rules.some(expectsStatus));
    if (error !== null) tellOn(fails(null, error));
  }
}

const fails = (rule: number | null, sentence: string): JudgeEvent => ({ kind: 'fails', failure: { rule, sentence } });

/** The order of the rules; what belongs to none of them comes first. */
export const inOrder = (failures: readonly Failure[]): Failure[] => [...failures].sort((a, b) => (a.rule ?? -1) - (b.rule ?? -1));

/** The rules that take time, in the order in which they are judged. */
export const heavyPlaces = (rules: readonly Rule[]): number[] => {
  const places = (wanted: (rule: Rule) => boolean): number[] => rules.flatMap((rule, place) => (wanted(rule) ? [place] : []));
  return [...places(isPattern), ...places(({ op }) => op === 'xpath')];
};

const SMALL_PAGE = 128 * 1024;
const CHEAP_SEARCH = 1_000_000;

/** Whether a job is small enough for the thread that everybody shares: a few milliseconds at the very most. */
export function isLight({ answer, rules }: JudgeJob): boolean {
  if (answer.body.length > SMALL_PAGE) return false;
  return rules.every((rule) => {
    if (!isPattern(rule)) return rule.op !== 'xpath';
    const compiled = compilePattern(rule.val);
    return !compiled.ok || searchCost(compiled.pattern, answer.body.length + 1000) < CHEAP_SEARCH;
  });
}
