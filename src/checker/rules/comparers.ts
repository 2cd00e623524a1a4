import type { HeaderLine } from '../probe/outcome.ts';
import { collapsed } from '../page/page-facts.ts';
import { compilePattern } from './patterns.ts';
import type { Comparison } from './rule.ts';

/** `open`: what is missing of the value could still decide it. */
export type Decision = 'holds' | 'broken' | 'open';

/** Compares one value; `unfinished` when the page was cut inside it. */
export type Comparer<Value> = (value: Value, wanted: string, unfinished: boolean) => Decision;
export type Comparers<Value> = Readonly<Record<Comparison, Comparer<Value>>>;

const decided = (holds: boolean): Decision => (holds ? 'holds' : 'broken');

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

/** Such a match stays one, whatever follows: RE2 looks at most one character ahead. With `(?U)`, `a.*` ends where it can, not where it must. */
function endsBeforeTheCut(wanted: string, value: string): boolean {
  const compiled = compilePattern(wanted);
  if (!compiled.ok) return false;
  const matcher = compiled.pattern.matcher(value);
  return matcher.find() && matcher.end() < value.length;
}

let tidied = { value: '', text: '' };

/** Hundreds of rules may look at one page: it is tidied once. */
function tidiedOnce(value: string): string {
  if (tidied.value !== value) tidied = { value, text: collapsed(value) };
  return tidied.text;
}

export const ofText: Comparers<string> = {
  eq: (value, wanted, unfinished) => same(tidiedOnce(value), collapsed(wanted), unfinished),
  match: same,
  sub: (value, wanted, unfinished) => (value.includes(wanted) ? 'holds' : unfinished ? 'open' : 'broken'),
  regex: pattern,
};

export const ofStatus: Comparers<string> = {
  ...ofText,
  eq: (value, wanted) => decided(wanted.trim() !== '' && Number(wanted) === Number(value)),
};

/** A line as name and value; the status line has no name. */
const lineText = ([name, value]: HeaderLine): string => (name === '' ? value : `${name}: ${value}`);

interface Wanted {
  readonly name: string | null;
  readonly value: string;
}

/** What stands before the first colon is a name, and names have no case (docs/spec/decisions.md#T6). */
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
};

export { lineText };
