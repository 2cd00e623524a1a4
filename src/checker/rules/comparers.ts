import { isNumber } from '../../projects/checks/rule-type.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import { hiddenCookie } from '../evidence/hidden-headers.ts';
import { collapsed } from '../page/page-facts.ts';
import { compilePattern } from './patterns.ts';
import type { Comparison } from './rule.ts';

/** `open`: the missing part of a cut page could still decide it. */
export type ComparisonResult = 'holds' | 'broken' | 'open';

/** Compares one value; `unfinished` when the page was cut inside it. */
export type Comparer<Value> = (value: Value, wanted: string, unfinished: boolean) => ComparisonResult;
export type Comparers<Value> = Readonly<Record<Comparison, Comparer<Value>>>;

const decided = (holds: boolean): ComparisonResult => (holds ? 'holds' : 'broken');

const same: Comparer<string> = (value, wanted, unfinished) => {
  if (unfinished) return wanted.startsWith(value) ? 'open' : 'broken';
  return decided(value === wanted);
};

const pattern: Comparer<string> = (value, wanted, unfinished) => {
  const compiled = compilePattern(wanted);
  if (!compiled.ok) return 'broken';
  if (!unfinished) return decided(compiled.pattern.test(value));
  return endsBeforeTheCut(wanted, value) || endsBeforeTheCut(`(?U)${wanted}`, value) ? 'holds' : 'open';
};

/** A match that ends before the cut holds whatever follows: RE2 needs at most one character of lookahead. `(?U)` makes `a.*` end as early as possible. */
function endsBeforeTheCut(wanted: string, value: string): boolean {
  const compiled = compilePattern(wanted);
  if (!compiled.ok) return false;
  const matcher = compiled.pattern.matcher(value);
  return matcher.find() && matcher.end() < value.length;
}

let lastCollapsed = { value: '', text: '' };

/** A cache of one entry: hundreds of rules may be applied to one page. */
function collapsedOnce(value: string): string {
  if (lastCollapsed.value !== value) lastCollapsed = { value, text: collapsed(value) };
  return lastCollapsed.text;
}

/** Compares numbers; other values are broken. Of a cut page, the value may be larger. */
const order =
  (holds: (value: number, wanted: number) => boolean): Comparer<string> =>
  (value, wanted, unfinished) => {
    if (!isNumber(value) || !isNumber(wanted)) return 'broken';
    const [number, limit] = [Number(value), Number(wanted)];
    if (!unfinished) return decided(holds(number, limit));
    // Larger ones are alike: the answer for infinity holds for all of them, if it is the answer for the value as well.
    const isDecided = number > limit || holds(number, limit) === holds(Infinity, limit);
    return isDecided ? decided(holds(Infinity, limit)) : 'open';
  };

const ORDERS = {
  lt: order((value, wanted) => value < wanted),
  lte: order((value, wanted) => value <= wanted),
  gt: order((value, wanted) => value > wanted),
  gte: order((value, wanted) => value >= wanted),
};

export const ofText: Comparers<string> = {
  ...ORDERS,
  eq: (value, wanted, unfinished) => same(collapsedOnce(value), collapsed(wanted), unfinished),
  match: same,
  sub: (value, wanted, unfinished) => (value.includes(wanted) ? 'holds' : unfinished ? 'open' : 'broken'),
  regex: pattern,
};

export const ofStatus: Comparers<string> = {
  ...ofText,
  eq: (value, wanted) => decided(wanted.trim() !== '' && Number(wanted) === Number(value)),
};

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Values that are numbers as JSON writes them are equal as numbers. */
export const ofNumber: Comparers<string> = {
  ...ofText,
  eq: (value, wanted, unfinished) => {
    const text = wanted.trim();
    if (!PLAIN_NUMBER.test(text) || !PLAIN_NUMBER.test(value)) return ofText.eq(value, wanted, unfinished);
    return unfinished && Number(value) <= Number(text) ? 'open' : decided(!unfinished && Number(value) === Number(text));
  },
};

/** Language tags, in any case. */
export const ofLanguage: Comparers<string> = {
  ...ofText,
  eq: (value, wanted) => decided(value.toLowerCase() === wanted.trim().toLowerCase()),
};

/** A header line as text; the status line has no name. */
const lineText = ([name, value]: HeaderLine): string => (name === '' ? value : `${name}: ${value}`);
/** In sentences, which every reader of a project sees. */
export const shownLine = (line: HeaderLine): string => lineText(hiddenCookie(line));

interface Wanted {
  readonly name: string | null;
  readonly value: string;
}

/** The part before the first colon is a header name, compared without case (docs/spec/decisions.md#T6). */
function split(wanted: string): Wanted {
  const colon = wanted.indexOf(':');
  return colon < 0
    ? { name: null, value: wanted }
    : { name: wanted.slice(0, colon).trim().toLowerCase(), value: wanted.slice(colon + 1).trim() };
}

const whole =
  (tidy: (text: string) => string): Comparer<HeaderLine> =>
  (line, text) => {
    const wanted = split(text);
    const [name, value] = line;
    if (tidy(lineText(line)) === tidy(text)) return 'holds';
    if (wanted.name === null) return decided(name.toLowerCase() === text.trim().toLowerCase() || tidy(value) === tidy(text));
    return decided(name.toLowerCase() === wanted.name && tidy(value) === tidy(wanted.value));
  };

function lineContains(line: HeaderLine, text: string): boolean {
  const [name, value] = line;
  if (lineText(line).includes(text)) return true;
  const wanted = split(text);
  if (wanted.name === null) return name.toLowerCase().includes(text.toLowerCase());
  return name !== '' && name.toLowerCase().endsWith(wanted.name) && value.startsWith(wanted.value);
}

export const ofHeader: Comparers<HeaderLine> = {
  eq: whole(collapsed),
  match: whole((text) => text),
  sub: (line, text) => decided(lineContains(line, text)),
  regex: (line, text) => pattern(lineText(line), text, false),
  lt: () => 'broken',
  lte: () => 'broken',
  gt: () => 'broken',
  gte: () => 'broken',
};
