const LEVELS =
  'Fatal error|Parse error|Warning|Notice|Deprecated|Recoverable fatal error|Catchable fatal error|Strict Standards|Core error|Compile error';
/** What PHP puts in front of a message, with `html_errors` and without. */
const MARKED = new RegExp(`(?<=<br ?/?>\\s{0,2})<b>(${LEVELS})</b>: `, 'g');
const PLAIN = new RegExp(`(?<=^|[\\n>])(?:PHP )?(${LEVELS}): `, 'g');
const MARKED_END = /<b>[^<]{1,400}<\/b> on line <b>\d+<\/b>/y;
const PLAIN_END = /(?:\/|[A-Za-z]:\\|phar:|[\w.-]{1,100}\.php)[^\n]{0,400}? on line \d+/y;
const MAX_TRIES = 50;

export interface PhpMessage {
  readonly name: string;
  readonly at: number;
  readonly end: number;
  /** Servers write this form only; people's text has no tags. */
  readonly isMarked: boolean;
}

export const mayHoldPhp = (html: string): boolean => html.includes(' on line ');

/** A message of PHP with its file and line, however long its text and its stack are. */
export function phpMessage(html: string, counts: (message: PhpMessage) => boolean): PhpMessage | null {
  return (
    search(html, { begin: MARKED, separator: ' in <b>', end: MARKED_END, isMarked: true }, counts) ??
    search(html, { begin: PLAIN, separator: ' in ', end: PLAIN_END, isMarked: false }, counts)
  );
}

interface Form {
  readonly begin: RegExp;
  readonly separator: string;
  readonly end: RegExp;
  readonly isMarked: boolean;
}

/** The scan ends at the next message, and all scans together read the page twice at most. */
function search(html: string, form: Form, counts: (message: PhpMessage) => boolean): PhpMessage | null {
  const begins = Array.from(firstOf(html, form.begin), (match) => ({
    level: match[1] ?? '',
    at: match.index,
    from: match.index + match[0].length,
  }));
  for (const [index, { level, at, from }] of begins.entries()) {
    const until = begins[index + 1]?.at ?? html.length;
    const end = endOf(html, form, from, until);
    if (end === null) continue;
    const message = { name: nameOf(level), at, end, isMarked: form.isMarked };
    if (counts(message)) return message;
  }
  return null;
}

function* firstOf(html: string, pattern: RegExp): Generator<RegExpMatchArray & { index: number }> {
  let count = 0;
  for (const match of html.matchAll(pattern)) {
    if (count++ === MAX_TRIES) return;
    yield match;
  }
}

function endOf(html: string, { separator, end }: Form, from: number, until: number): number | null {
  for (let at = html.indexOf(separator, from); at >= 0 && at < until; at = html.indexOf(separator, at + 1)) {
    end.lastIndex = at + ' in '.length;
    if (end.test(html)) return end.lastIndex;
  }
  return null;
}

function nameOf(level: string): string {
  const names: Readonly<Record<string, string>> = {
    Deprecated: 'a PHP deprecation message',
    'Strict Standards': 'a PHP strict standards message',
  };
  return names[level] ?? `a PHP ${level.toLowerCase()}`;
}
