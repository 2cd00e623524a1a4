import type { Page } from '../page/page.ts';
import { outlineOf, type Outline, type PageLine } from './outline.ts';
import { contextsOf, type PageContexts } from './page-contexts.ts';
import { type MessageKind, messageTable } from './message-table.ts';
import { mayHoldPhp, phpMessage, type PhpMessage } from './php-messages.ts';

export interface Detected {
  readonly id: string;
  readonly name: string;
  /** The visible text at the signature. */
  readonly excerpt: string;
}

/** What detectors ask of a page; each is made when it is first needed. */
export class ExaminedPage {
  private contextsKnown: PageContexts | undefined;
  private outlineKnown: Outline | undefined;

  constructor(readonly page: Page) {}

  get contexts(): PageContexts {
    return (this.contextsKnown ??= contextsOf(this.page.html));
  }

  get outline(): Outline {
    return (this.outlineKnown ??= outlineOf(this.page.html));
  }
}

/** Lines of a stack as languages print them; every expression is anchored and bounded. */
const FRAMES: readonly (readonly [name: string, frame: RegExp])[] = [
  [
    'a Java stack trace',
    /^(?:at )(?:[\w.$@-]{1,80}\/){0,3}[\w$.<>]{3,300}\((?:[\w$]{1,100}\.(?:java|kt|scala|groovy|clj)(?::\d+)?|Native Method|Unknown Source)\)/,
  ],
  ['a .NET stack trace', /^(?:at|bei|à|en|в) [^()\s.]{1,150}\.[^()\s]{1,300}\([^()]{0,300}\)(?: in .{1,300}:(?:line|Zeile|ligne) \d+)?$/],
  ['a JavaScript stack trace', /^at (?:[^()]{1,200} \()?[^()\s]{1,300}:\d+:\d+\)?$/],
  [
    'a Python traceback',
    /^Traceback \(most recent call last\):$|^File ["'\u201c][^"'\u201d]{1,300}["'\u201d], line \d+(?:, in .{1,200})?$/,
  ],
  ['a PHP stack trace', /^#\d+ (?:(?:\/|[A-Za-z]:\\|phar:)[^(]{1,300}\(\d+\): |\[internal function\]: |\{main\})/],
  ['a Ruby stack trace', /^(?:from |\d+: from )?\/[^:]{1,300}\.(?:rb|ru|erb|rake):\d+:in [`'\u2018]/],
  ['a Go stack trace', /^goroutine \d+ \[[a-z ]{1,40}\]:$|^(?:\/|[A-Z]:\/)[^:]{1,300}\.go:\d+(?: \+0x[0-9a-f]+)?$/],
  ['a Perl stack trace', / (?:called )?at (?:\/|\(eval)\S{0,300}(?: \d+\))? line \d+\.?$/],
];

/** What rules out most pages: a name of a source file and a line. */
const HINT =
  /\.(?:java|kt|scala|groovy|clj|cs|vb|fs|js|mjs|cjs|ts|tsx|jsx|py|php|rb|ru|erb|go|pl|pm|psgi)(?:[:(]|&quot;|&#34;|&#x27;|&#39;|["']|&nbsp;)|:\d{1,6}:\d{1,6}\)|, line \d| at (?:\/|\(eval)\S{1,200} line \d| at [A-Z][\w.]{2,80}\(/;

const mayHoldFrames = (html: string): boolean => HINT.test(html);

/** Lines between two frames: the source that Python prints, the function that Go prints. */
const APART = 2;
/** Lines around a frame that belong to it: what was thrown, where, the source. */
const HEAD = 3;
const MAX_FRAME = 700;

interface Stack {
  readonly name: string;
  /** The lines of frames, of this language or another, and what stands between them. */
  readonly lines: ReadonlySet<number>;
  readonly from: number;
  readonly to: number;
}

/** The first stack of two frames at least, or null; a page may show several, which belong to it. */
function stackOf(lines: readonly Pick<PageLine, 'text' | 'place'>[]): Stack | null {
  const frames: { at: number; name: string }[] = [];
  for (const [at, { text }] of lines.entries()) {
    const name = text.length > MAX_FRAME ? undefined : FRAMES.find(([, frame]) => frame.test(text))?.[0];
    if (name !== undefined) frames.push({ at, name });
  }
  const first = frames.find(({ at, name }, i) => frames[i + 1]?.name === name && (frames[i + 1]?.at ?? 0) - at <= APART + 1);
  if (first === undefined) return null;
  const around = frames.flatMap(({ at }) => {
    const near = Array.from({ length: 2 * HEAD + 1 }, (_, i) => at - HEAD + i);
    // The paragraphs around a quoted stack are those of who quotes it.
    return near.filter((line) => lines[at]?.place !== 'quoted' || lines[line]?.place === 'quoted');
  });
  return { name: first.name, lines: new Set(around), from: first.at, to: frames.at(-1)?.at ?? first.at };
}

const KINDS: readonly (readonly [id: string, kind: MessageKind])[] = Object.entries(messageTable);
/** Letters beside the message on a page that says little else. */
const LITTLE = 400;
/** Links of such a page; a site that talks about errors has a menu. */
const FEW_LINKS = 8;
/** Letters in front of a message in its line: "Query failed: ", "PDOException: ". */
const LABEL = 120;
const MAX_HITS = 20;

/** A message or a stack that a program printed into the page, or null. What surrounds it decides: people write about errors, too. */
export function errorMessage(examined: ExaminedPage): Detected | null {
  const { html } = examined.page;
  const php = mayHoldPhp(html) ? phpMessage(html, (message) => phpCounts(examined, message)) : null;
  if (php !== null) return { id: 'php', name: php.name, excerpt: withoutTags(html.slice(php.at, php.end)) };
  for (const [id, { name, needles, message }] of KINDS) {
    if (!needles.some((needle) => html.includes(needle))) continue;
    const found = printed(examined.outline, (text) => message.exec(text)?.index ?? null);
    if (found !== null) return { id, name, excerpt: found };
  }
  return mayHoldFrames(html) ? stackIn(examined.outline) : null;
}

const withoutTags = (html: string): string => html.replace(/<[^>]{1,200}>/g, '').replace(/\s+/g, ' ');

/** With tags, a message counts in a form field, too: people's text has none. Without them it stands at the beginning of a line of its own. */
function phpCounts({ contexts, outline, page }: ExaminedPage, { at, end, isMarked }: PhpMessage): boolean {
  const context = contexts.at(at);
  if (context === 'script') return true;
  if (isMarked) return context !== 'quoted' && context !== 'value';
  if (context === 'value' || context === 'field') return false;
  if (saysLittleElse(outline, end - at)) return true;
  if (/<title[^>]{0,100}>[^<]{0,200}\n$/i.test(page.html.slice(Math.max(0, at - 300), at))) return true;
  return context === 'plain' && standsAlone(page.html, at, end);
}

/** Between the blocks of a page, or at its beginning or end. */
function standsAlone(html: string, at: number, end: number): boolean {
  return (
    /(?:^|<(?:div|section|main|body|html|center|td)\b[^>]{0,300}>|<\/(?:html|nav|header|h[1-6])>)\s*(?:<br ?\/?>\s*)?$/i.test(
      html.slice(Math.max(0, at - 400), at),
    ) || /^\s*$/.test(html.slice(end))
  );
}

/** "Query failed: " and "1146" are what a program puts in front of a message, but not "I get". */
const isLabel = (text: string): boolean => text.length <= LABEL && /(?:^|[:\]|>=)\d-])\s*["'(]?$/.test(text);

/** The line of a message that counts, or null. */
function printed(outline: Outline, indexIn: (text: string) => number | null): string | null {
  let hits = 0;
  for (const [at, line] of outline.lines.entries()) {
    const index = indexIn(line.text);
    if (index === null) continue;
    if (++hits > MAX_HITS) return null;
    if (line.place === 'link' || line.place === 'hidden' || line.place === 'title') continue;
    if (isLabel(line.text.slice(0, index)) && counts(outline, line, at)) return line.text.slice(index);
  }
  return null;
}

function stackIn(outline: Outline): Detected | null {
  const { lines } = outline;
  const stack = stackOf(lines);
  const first = stack === null ? undefined : lines[stack.from];
  if (stack === null || first === undefined || first.place === 'link' || first.place === 'hidden') return null;
  const own = lines.reduce((sum, { text }, at) => (stack.lines.has(at) ? sum + text.length : sum), 0);
  if (!saysLittleElse(outline, own) && !(first.place === 'plain' && isOutermost(lines, stack.from, stack.to))) return null;
  return { id: 'stack', name: stack.name, excerpt: `${lines[stack.from - 1]?.text ?? ''} ${first.text}`.trim() };
}

/** What servers say below their messages. */
const CONTINUED = /^(?:LINE \d+:|\^|DETAIL:|HINT:|CONTEXT:|Position:|at |#\d|Stack trace|thrown in|\(?SQL:|Query:)/;
const MAX_CONTINUED = 8;

/** A program printed this line, and no person: it is all that the page says, or stands alone in a block of the page itself, or first or last. */
function counts(outline: Outline, line: PageLine, at: number): boolean {
  const { lines } = outline;
  let to = at;
  while (to - at < MAX_CONTINUED && CONTINUED.test(lines[to + 1]?.text ?? '')) to++;
  const own = lines.slice(at, to + 1).reduce((sum, { text }) => sum + text.length, 0);
  if (saysLittleElse(outline, own)) return line.opens || line.place === 'plain' || lines[at - 1]?.place !== 'link';
  return line.place === 'plain' && (isOutermost(lines, at, to) || (line.opens && (lines[to]?.closes ?? false)));
}

const saysLittleElse = ({ length, links }: Outline, own: number): boolean => length - own <= LITTLE && links <= FEW_LINKS;

function isOutermost(lines: readonly PageLine[], from: number, to: number): boolean {
  const isAside = ({ place }: PageLine): boolean => place === 'title' || place === 'hidden';
  return lines.slice(0, from).every(isAside) || lines.slice(to + 1).every(isAside);
}
