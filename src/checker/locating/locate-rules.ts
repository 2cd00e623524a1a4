import { familyOf } from '../../domain/check/rule-type.ts';
import type { JudgeJob } from '../judging/judge-job.ts';
import { Page } from '../page/page.ts';
import { compilePattern } from '../rules/patterns.ts';
import { comparisonOf, type RuleCondition, type ValueOperator } from '../rules/rule.ts';
import { headerValue } from '../rules/stored-answer.ts';
import { jsonLocation } from '../rules/types/json.rule.ts';
import { type DecidingValue, decidingValue } from '../rules/value-rules.ts';
import { bytePlaces } from './byte-places.ts';
import type { ByteRange } from './byte-range.ts';
import { jsonPlace } from './json-places.ts';
import { type FactPlaces, factPlaces, type Stretch } from './located-facts.ts';
import { xpathPlaces } from './xpath-places.ts';

type ValueRule = RuleCondition & { readonly op: ValueOperator };
/** In characters of the decoded page. */
type Located = Stretch & { readonly rule: number };

/**
 * Where each rule matched; where it did not, what it was compared with. Null for a rule that reads no text of the page. By the same values and
 * comparisons as the judgement.
 */
export function locateRules({ answer, rules }: JudgeJob): readonly (ByteRange | null)[] {
  const contentType = headerValue(answer, 'content-type') ?? '';
  const page = new Page({ body: answer.body, contentType, cut: answer.cut });
  let facts: FactPlaces | undefined;
  const found: Located[] = [];
  const inJson: Located[] = [];
  const places = (): FactPlaces => (facts ??= factPlaces(page));
  let json: string | undefined;
  found.push(...inTree(rules, page));
  for (const [index, rule] of rules.entries()) {
    if (rule.op === 'xpath') continue;
    const valueRule = { ...rule, op: rule.op };
    const value = decidingValue(valueRule, answer, page);
    if (value === null) continue;
    const family = familyOf(rule.type);
    if (family?.family === 'json') {
      const location = jsonLocation(family.parameter, page, answer.body, value.index);
      const place = location === null ? null : jsonPlace((json ??= new TextDecoder().decode(answer.body)), location);
      if (place !== null) inJson.push({ ...place, rule: index });
    } else {
      const place = placeIn(valueRule, value, places);
      if (place !== null) found.push({ ...place, rule: index });
    }
  }
  const ranges: (ByteRange | null)[] = rules.map(() => null);
  const fill = (located: readonly Located[], text: string, charset: string): void => {
    for (const { rule, ...range } of byteRanges(located, text, answer.body, charset)) ranges[rule] = range;
  };
  fill(found, page.html, page.charset);
  if (json !== undefined) fill(inJson, json, 'utf-8');
  return ranges;
}

function inTree(rules: readonly RuleCondition[], page: Page): readonly Located[] {
  const xpaths = rules.flatMap(({ op, val }, rule) => (op === 'xpath' ? [{ rule, val }] : []));
  if (xpaths.length === 0) return [];
  const places = xpathPlaces(
    page,
    xpaths.map(({ val }) => val),
  );
  return xpaths.flatMap(({ rule }, nth) => {
    const place = places[nth];
    return place === undefined || place === null ? [] : [{ ...place, rule }];
  });
}

/** In the decoded page. */
function placeIn(rule: ValueRule, value: DecidingValue, places: () => FactPlaces): Stretch | null {
  if (rule.type === 'html') return withinValue(rule, value);
  if (rule.type === 'text') return places().ofText(withinValue(rule, value));
  if (rule.type === 'title') return places().titles[value.index] ?? null;
  // Robots are read from headers, too.
  if (!rule.type.startsWith('meta-') || rule.type.startsWith('meta-robots')) return null;
  return places().metas.get(rule.type.slice('meta-'.length))?.[value.index] ?? null;
}

/** The part that matched; the whole value where nothing did, or where the operator compares all of it. */
function withinValue({ op, val }: ValueRule, { text, holds }: DecidingValue): Stretch {
  const whole = { from: 0, to: text.length };
  const comparison = comparisonOf(op);
  if (!holds) return whole;
  if (comparison === 'sub') {
    const from = text.indexOf(val);
    return from < 0 ? whole : { from, to: from + val.length };
  }
  if (comparison !== 'regex') return whole;
  const compiled = compilePattern(val);
  if (!compiled.ok) return whole;
  const matcher = compiled.pattern.matcher(text);
  return matcher.find() ? { from: matcher.start(), to: matcher.end() } : whole;
}

/** All of them in one pass over the bytes. */
function byteRanges(
  located: readonly Located[],
  text: string,
  body: Uint8Array,
  charset: string,
): readonly (ByteRange & { readonly rule: number })[] {
  const wanted = [...new Set(located.flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other);
  const bytes = bytePlaces(body, charset, wanted);
  const byteOf = new Map(wanted.map((index, nth) => [index, bytes[nth] ?? 0]));
  const lineOf = new Map<number, number>();
  let [line, end] = [1, text.indexOf('\n')];
  for (const index of wanted) {
    while (end >= 0 && end < index) [line, end] = [line + 1, text.indexOf('\n', end + 1)];
    lineOf.set(index, line);
  }
  return located.map(({ rule, from, to }) => ({ rule, from: byteOf.get(from) ?? 0, to: byteOf.get(to) ?? 0, line: lineOf.get(from) ?? 1 }));
}
