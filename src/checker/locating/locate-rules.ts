import { familyOf } from '../../projects/checks/rule-type.ts';
import type { JudgeJob } from '../judging/judge-job.ts';
import type { RuleCondition } from '../rules/rule.ts';
import { headerValue } from '../rules/stored-answer.ts';
import { decidingValue } from '../rules/value-rules.ts';
import { type ByteRange, LocatedPage } from './located-page.ts';
import { placesOf } from './rule-places.ts';
import type { Stretch } from './source-map.ts';
import { xpathPlaces } from './xpath-places.ts';
import { encodingOf } from '../page/charset.ts';

/** Encodings of which each byte is one character. */
const ONE_BYTE = /^(?:windows-|iso-8859-|koi8-|macintosh|x-mac-|x-user-defined|ibm866)/;

/**
 * The places at which characters of a decoded text begin in its bytes, in any charset and with invalid bytes: the bytes are decoded again, in stretches that
 * cannot reach the next wanted character (no charset makes more characters than it has bytes), and byte by byte before it. The indexes `wanted` ascend.
 */
export function bytePlaces(body: Uint8Array, charset: string, wanted: readonly number[]): readonly number[] {
  if (ONE_BYTE.test(charset)) return wanted.map((index) => Math.min(index, body.length));
  const decoder = new TextDecoder(encodingOf(charset) ?? 'utf-8');
  let [consumed, produced] = [0, 0];
  const feed = (bytes: number): void => {
    produced += decoder.decode(body.subarray(consumed, consumed + bytes), { stream: true }).length;
    consumed += bytes;
  };
  return wanted.map((index) => {
    for (;;) {
      const missing = index - produced;
      // One byte may end several characters, such as an invalid sequence and the one after it.
      if (missing <= 0) return missing === 0 ? consumed : consumed - 1;
      if (consumed >= body.length) return body.length;
      feed(Math.min(body.length - consumed, missing > MARGIN ? missing - MARGIN : 1));
    }
  });
}

/** Characters that a decoder may hold back. */
const MARGIN = 8;

/** Places are counted in characters of the decoded page, or of the body as JSON. */
type Located = Stretch & { readonly rule: number };

/**
 * The place at which each rule matched, or the place of what it was compared with; null for a rule that reads no text of the page. Values and comparisons
 * are those of the judgement.
 */
export function locateRules({ answer, rules }: JudgeJob): readonly (ByteRange | null)[] {
  const contentType = headerValue(answer, 'content-type') ?? '';
  const page = new LocatedPage({ body: answer.body, contentType, cut: answer.cut });
  let json: string | undefined;
  const readJson = (): string => (json ??= new TextDecoder().decode(answer.body));
  const found: Record<'page' | 'json', Located[]> = { page: [...inTree(rules, page)], json: [] };
  for (const [index, { op, ...condition }] of rules.entries()) {
    const places = placesOf(condition.type);
    if (op === 'xpath' || 'none' in places) continue;
    const rule = { ...condition, op };
    const value = decidingValue(rule, answer, page);
    if (value === null) continue;
    const place = places.of({ rule, value, answer, page, json: readJson }, familyOf(rule.type)?.parameter ?? '');
    if (place !== null) found[places.in].push({ from: place.from, to: place.to, rule: index });
  }
  const ranges: (ByteRange | null)[] = rules.map(() => null);
  const fill = (places: readonly Located[], text: string, charset: string): void => {
    for (const { rule, ...range } of byteRanges(places, text, answer.body, charset)) ranges[rule] = range;
  };
  fill(found.page, page.html, page.charset);
  if (json !== undefined) fill(found.json, json, 'utf-8');
  return ranges;
}

function inTree(rules: readonly RuleCondition[], page: LocatedPage): readonly Located[] {
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
