import { Document, isMap, isNode, isScalar, isSeq, type Node, parseAllDocuments, type YAMLMap, type YAMLSeq } from 'yaml';
import { pageKeyOf } from './site-requests.ts';

const TO_TEXT = { lineWidth: 0, indentSeq: true, singleQuote: true } as const;
const REFERENCE = /\$\{(?:env|file):[^}]+\}/;

/** A site file: the documents of its text, each of one site or status page. */
export class SiteYaml {
  private readonly documents: Document[];
  private readonly byKey = new Map<string, Document>();
  /** The documents as they are written while nothing changes: the text itself may be indented and quoted in another way. */
  private readonly unchanged: string;

  constructor(
    private readonly text: string,
    /** The first line of a new file, for editors. */
    private readonly firstLine: string,
  ) {
    const parsed = parseAllDocuments(text, { merge: true, schema: 'core' });
    this.documents = Array.isArray(parsed) ? [...parsed] : [];
    for (const document of this.documents) {
      const key = keyOf(document);
      if (key !== null && !this.byKey.has(key)) this.byKey.set(key, document);
    }
    this.unchanged = this.asText();
  }

  keys(): readonly string[] {
    return [...this.byKey.keys()];
  }

  get isChanged(): boolean {
    return this.asText() !== this.unchanged;
  }

  /** Writes a site or a status page where it stands, or at the end. What does not change keeps its comments, its place and its spelling. */
  write(key: string, site: object): void {
    const known = this.byKey.get(key);
    if (known !== undefined) {
      if (isMap(known.contents)) updateMap(known, known.contents, site, known.toJS() as object);
      return;
    }
    const made = new Document(site);
    if (this.documents.length === 0 && isNode(made.contents)) made.contents.commentBefore = this.firstLine;
    this.documents.push(made);
    this.byKey.set(key, made);
  }

  toString(): string {
    const text = this.asText();
    if (text === this.unchanged) return this.text;
    return this.text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
  }

  private asText(): string {
    return this.documents
      .map((document, index) => (index === 0 ? '' : '---\n') + document.toString(TO_TEXT).replace(/^---\n/, ''))
      .join('');
  }
}

/** The key of a site, or the one by which plans name a status page. */
function keyOf(document: Document): string | null {
  if (!isMap(document.contents)) return null;
  const [key, slug]: unknown[] = [document.get('key'), document.getIn(['statusPage', 'slug'])];
  if (typeof slug === 'string') return pageKeyOf({ slug });
  return typeof key === 'string' ? key : null;
}

/** `effective`: what the map stands for, with what it merges and extends. */
function updateMap(document: Document, map: YAMLMap, wanted: object, effective: object): void {
  for (const [name, value] of Object.entries(wanted)) {
    const before: unknown = effective[name as keyof typeof effective];
    if (isSameValue(before, value)) continue;
    const node = map.get(name, true) as Node | undefined; // of this map
    if (isMap(node) && isPlainObject(value) && isPlainObject(before)) updateMap(document, node, value, before);
    else if (isSeq(node) && isListOfObjects(value) && Array.isArray(before)) updateList(document, node, value, before);
    else if (isScalar(node) && !isObjectOrList(value)) node.value = value;
    else map.set(document.createNode(name), document.createNode(value));
  }
  for (const name of Object.keys(effective)) if (!Object.hasOwn(wanted, name) && !KEPT.has(name)) map.delete(name);
}

/** Members that belong to the file, not to the site. */
const KEPT: ReadonlySet<string> = new Set(['key', 'extends', 'templates', 'addPresetChecks']);

/** Items with a key or a name stay with their comments, in the order that is wanted. */
function updateList(document: Document, list: YAMLSeq, wanted: readonly object[], effective: readonly unknown[]): void {
  const left = list.items.map((node, index) => ({ node, value: effective[index] }));
  list.items = wanted.map((item) => {
    const at = left.findIndex(
      ({ value }) => isPlainObject(value) && identityOf(value) !== undefined && identityOf(value) === identityOf(item),
    );
    const [found] = at < 0 ? [] : left.splice(at, 1);
    if (found === undefined || !isMap(found.node) || !isPlainObject(found.value)) return document.createNode(item);
    updateMap(document, found.node, item, found.value);
    return found.node;
  });
}

const identityOf = (value: object): unknown => {
  const { key, name } = value as { readonly key?: unknown; readonly name?: unknown };
  return key ?? name;
};

const isPlainObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
const isObjectOrList = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isListOfObjects = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isPlainObject(item) && identityOf(item) !== undefined);

/** By value, whatever the spelling. A reference in the file stands for the same secret as the one that is wanted. */
export function isSameValue(before: unknown, wanted: unknown): boolean {
  if (typeof before === 'string' && typeof wanted === 'string' && REFERENCE.test(before) && REFERENCE.test(wanted))
    return withoutReferences(before) === withoutReferences(wanted);
  if (!isObjectOrList(before) || !isObjectOrList(wanted)) return String(before) === String(wanted);
  if (Array.isArray(before) !== Array.isArray(wanted)) return false;
  const [left, right] = [Object.entries(before as object), Object.entries(wanted as object)];
  return (
    left.length === right.length && left.every(([name, value]) => isSameValue(value, (wanted as Readonly<Record<string, unknown>>)[name]))
  );
}

/** Names of headers stay, their spaces do not count. */
const withoutReferences = (text: string): string =>
  text
    .replaceAll(/\$\{[^}]+\}/g, '$')
    .replaceAll(/: +[^\n]*\$[^\n]*/g, ': $')
    .trim();
