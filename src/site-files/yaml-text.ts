import {
  Composer,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
} from 'yaml';
import { isObject } from '../kernel/is-object.ts';

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface YamlProblem extends TextPlace {
  readonly message: string;
}

/** A document of a YAML text, with the place of each of its members. */
export interface YamlDocument {
  readonly value: unknown;
  /** The place of a member such as `groups.0.checks.1.url`, or of the nearest one above it when there is none. */
  readonly placeOf: (path: string) => TextPlace;
}

export interface ReadYaml {
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly YamlProblem[];
}

/** Aliases of an honest file repeat a few blocks; each more doubles what a hostile one unfolds to. */
const MAX_ALIASES = 200;
/** A site nests some ten deep. */
const MAX_DEPTH = 100;
/** Colons, commas and question marks: a mebibyte of honest sites has some 30,000 keys. */
const MAX_KEYS = 100_000;
const MAX_DOCUMENTS = 5_000;
/** Reported at most. */
const MAX_PROBLEMS = 100;

/** Reads YAML 1.2 as data: no tags of programs, no key twice. JSON is YAML, and what programs send. */
export function readYaml(text: string): ReadYaml {
  const json = canonicalJson(text);
  return json === undefined ? parsedYaml(text) : { documents: placedLater(text, [json]), problems: [] };
}

/** Documents of a text whose values are known. Their places are found by parsing it, which only problems need. */
export function placedLater(text: string, values: readonly unknown[]): readonly YamlDocument[] {
  let parsed: ReadYaml | undefined;
  const placeIn = (index: number, path: string): TextPlace => {
    parsed ??= parsedYaml(text);
    return parsed.documents[index]?.placeOf(path) ?? { line: 1, column: 1 };
  };
  return values.map((value, index) => ({ value, placeOf: (path) => placeIn(index, path) }));
}

/** The value of a JSON object as `JSON.stringify` writes it, which has no key twice; undefined for any other text. Parsed in a hundredth of the time of YAML. */
function canonicalJson(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function parsedYaml(text: string): ReadYaml {
  let lines: LineCounter | undefined;
  const placeAt = (offset: number): TextPlace => {
    lines ??= linesOf(text);
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const documents: YamlDocument[] = [];
  const problems: YamlProblem[] = [];
  const refuse = (offset: number, message: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ ...placeAt(offset), message });
  };
  try {
    for (const document of composed(text)) {
      const errors = [...document.errors, ...document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')];
      for (const { code, message, pos } of errors.slice(0, MAX_PROBLEMS)) refuse(pos[0], SENTENCES[code] ?? messageOf(message));
      const twice = errors.length > 0 ? [] : keysTwice(document.contents);
      for (const offset of twice) refuse(offset, 'this key stands in the mapping already; keep one of them');
      if (errors.length > 0 || twice.length > 0) continue;
      try {
        const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
        refuseLoops(value);
        // Between two lines of `---` there may be nothing.
        if (value !== null) documents.push({ value, placeOf: (path) => placeAt(offsetOf(document, path === '' ? [] : path.split('.'))) });
      } catch (error) {
        refuse(document.range[0], refusalOf(error));
      }
      if (problems.length >= MAX_PROBLEMS) break;
    }
  } catch (error) {
    if (!(error instanceof Immoderate)) throw error;
    return { documents: [], problems: [{ ...placeAt(error.offset), message: error.message }] };
  }
  return { documents, problems };
}

class Immoderate extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/** The documents of a text. What no file of sites needs is refused before anything recursive or quadratic sees it. */
function composed(text: string): Iterable<Document.Parsed> {
  // Keys that stand twice are found by `keysTwice`: the library compares each with each.
  return new Composer({ uniqueKeys: false, merge: true, schema: 'core', prettyErrors: false }).compose(
    moderateTokens(text),
    false,
    text.length,
  );
}

function* moderateTokens(text: string): ReturnType<Parser['parse']> {
  const parser = new Parser();
  const lexer = new Lexer();
  let [keys, documents, faults] = [0, 0, 0];
  let before = '';
  const check = (isWithin: boolean, message: string): void => {
    if (!isWithin) throw new Immoderate(message, parser.offset);
  };
  for (const lexeme of lexer.lex(text)) {
    if (lexeme === ':' || lexeme === ',' || lexeme === '?') keys++;
    else if (lexeme === '---') documents++;
    else if (isFault(lexeme, before)) faults++;
    if (lexeme.trim() !== '') before = lexeme;
    check(keys <= MAX_KEYS, `has more than ${String(MAX_KEYS)} keys; divide the file`);
    check(documents <= MAX_DOCUMENTS, `has more than ${String(MAX_DOCUMENTS)} documents; divide the file`);
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') faults++;
      yield token;
    }
    check(parser.stack.length <= MAX_DEPTH, `nests more than ${String(MAX_DEPTH)} deep`);
    check(faults <= MAX_PROBLEMS, `is no YAML: more than ${String(MAX_PROBLEMS)} faults`);
  }
  yield* parser.end();
}

/** A tag, a directive, or a text right behind the end of another: the library makes an error of each. */
const isFault = (lexeme: string, before: string): boolean => /^[!%]/.test(lexeme) || (/^["']/.test(lexeme) && /^["']/.test(before));

/** The places of the keys that stand in their mapping already. A key that merges may stand several times. */
function keysTwice(node: unknown): readonly number[] {
  if (isPair(node)) return [...keysTwice(node.key), ...keysTwice(node.value)];
  if (!isMap(node) && !isSeq(node)) return [];
  const known = new Set<unknown>();
  const twice: number[] = [];
  for (const item of node.items) {
    const key = isPair(item) && isScalar(item.key) && isMap(node) && item.key.value !== '<<' ? item.key : null;
    if (key !== null && known.has(key.value)) twice.push(key.range?.[0] ?? 0);
    if (key !== null) known.add(key.value);
    for (const offset of keysTwice(item)) twice.push(offset);
  }
  return twice;
}

/** Only problems need them. */
function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'a tab indents this line; YAML takes spaces only',
  TAG_RESOLVE_FAILED: 'a tag is not supported here; write the value itself',
};

/** Says why a document does not become data. */
function refusalOf(error: unknown): string {
  if (!(error instanceof Error)) return 'is no data';
  if (error.message.startsWith('Excessive alias count'))
    return `aliases repeat too much: one that holds others may stand for at most ${String(MAX_ALIASES)} copies`;
  return messageOf(error.message);
}

/** One line, without the suggestions for programmers. */
const messageOf = (message: string): string => message.split('\n', 1)[0]?.replace(/\.$/, '') ?? '';

/** An alias may stand for what it stands in. */
function refuseLoops(value: unknown, above = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null) return;
  if (above.has(value)) throw new Error('an alias refers to what it stands in');
  above.add(value);
  for (const inner of Object.values(value)) refuseLoops(inner, above);
  above.delete(value);
}

function offsetOf(document: Document, path: readonly string[]): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const name of path) {
    const parent: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isSeq(parent)) {
      const item: unknown = parent.items[Number(name)];
      if (!isNode(item)) return offset;
      node = item;
      offset = node.range?.[0] ?? offset;
      continue;
    }
    if (!isMap(parent)) return offset;
    const pair = parent.items.find(({ key }) => (isScalar(key) ? String(key.value) : String(key)) === name);
    if (pair === undefined) return offset;
    offset = isNode(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
    node = isNode(pair.value) ? pair.value : null;
  }
  return offset;
}
