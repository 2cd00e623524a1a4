import { type Document, type ErrorCode, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
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
  const parsed = parseAllDocuments(text, { uniqueKeys: true, merge: true, schema: 'core', prettyErrors: false });
  let lines: LineCounter | undefined;
  const placeAt = (offset: number): TextPlace => {
    lines ??= linesOf(text);
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const documents: YamlDocument[] = [];
  const problems: YamlProblem[] = [];
  for (const document of Array.isArray(parsed) ? parsed : []) {
    const errors = [...document.errors, ...document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')];
    problems.push(...errors.map(({ code, message, pos }) => ({ ...placeAt(pos[0]), message: SENTENCES[code] ?? messageOf(message) })));
    if (errors.length > 0) continue;
    try {
      const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
      refuseLoops(value);
      // Between two lines of `---` there may be nothing.
      if (value !== null) documents.push({ value, placeOf: (path) => placeAt(offsetOf(document, path === '' ? [] : path.split('.'))) });
    } catch (error) {
      problems.push({ ...placeAt(document.range[0]), message: refusalOf(error) });
    }
  }
  return { documents, problems };
}

/** Only problems need them. */
function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  DUPLICATE_KEY: 'this key stands in the mapping already; keep one of them',
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
