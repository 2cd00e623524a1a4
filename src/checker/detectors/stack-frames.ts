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

export const mayHoldFrames = (html: string): boolean => HINT.test(html);

/** Lines between two frames: the source that Python prints, the function that Go prints. */
const APART = 2;
/** Lines around a frame that belong to it: what was thrown, where, the source. */
const HEAD = 3;
const MAX_FRAME = 700;

export interface Stack {
  readonly name: string;
  /** The lines of frames, of this language or another, and what stands between them. */
  readonly lines: ReadonlySet<number>;
  readonly from: number;
  readonly to: number;
}

/** The first stack of two frames at least, or null; a page may show several, which belong to it. */
export function stackOf(lines: readonly { readonly text: string }[]): Stack | null {
  const frames: { at: number; name: string }[] = [];
  for (const [at, { text }] of lines.entries()) {
    const name = text.length > MAX_FRAME ? undefined : FRAMES.find(([, frame]) => frame.test(text))?.[0];
    if (name !== undefined) frames.push({ at, name });
  }
  const first = frames.find(({ at, name }, i) => frames[i + 1]?.name === name && (frames[i + 1]?.at ?? 0) - at <= APART + 1);
  if (first === undefined) return null;
  const around = frames.flatMap(({ at }) => Array.from({ length: 2 * HEAD + 1 }, (_, i) => at - HEAD + i));
  return { name: first.name, lines: new Set(around), from: first.at, to: frames.at(-1)?.at ?? first.at };
}
