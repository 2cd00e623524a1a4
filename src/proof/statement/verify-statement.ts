import { canonicalJson } from '../../client/proofs/canonical-json.ts';
import { parseLeaf, type SealedEvent } from '../../client/proofs/leaf.ts';
import { composeStatement } from './compose.ts';
import { MONTH, spanOfMonth } from './month.ts';
import { type DayPart, type SignedStatement, STATEMENT_FORMAT, type StatementFigures } from './document.ts';
import { streamExtents } from './evidence.ts';
import { readFacts } from './facts.ts';
import { rootOfPath } from '../../client/verify/verify-proof.ts';
import type { Platform } from '../../client/verify/platform.ts';
import { isObject } from '../../kernel/is-object.ts';

/** The first place at which a stated value differs from the computed one, in words; null when they are equal. */
function firstDifference(path: string, stated: unknown, computed: unknown): string | null {
  if (Object.is(stated, computed)) return null;
  if (isMembers(stated) && isMembers(computed)) {
    const names = [...new Set([...Object.keys(computed), ...Object.keys(stated)])];
    for (const name of names) {
      const found = firstDifference(`${path}.${name}`, stated[name], computed[name]);
      if (found !== null) return found;
    }
    if (Array.isArray(stated) === Array.isArray(computed)) return null;
  }
  return `${path}: the statement says ${said(stated)}, the evidence gives ${said(computed)}`;
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const LONGEST = 120;

function said(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The first thing in a statement that does not hold. */
export interface StatementFinding {
  /** `form`: not a statement. `proof`: not in the log. `evidence`: of another project. `figure`: does not follow from the evidence. `page`: does not follow from the data. */
  readonly kind: 'form' | 'proof' | 'evidence' | 'figure' | 'signature' | 'page';
  readonly message: string;
}

export type StatementVerdict =
  | { readonly kind: 'equal'; readonly statement: SignedStatement; readonly root: Uint8Array; readonly size: number }
  | { readonly kind: 'different'; readonly finding: StatementFinding };

const different = (kind: StatementFinding['kind'], message: string): StatementVerdict => ({
  kind: 'different',
  finding: { kind, message },
});

/** Recomputes every hash and every figure of a statement. Signatures are verified by the caller, who knows the keys. */
export async function recomputeStatement(text: string, platform: Platform): Promise<StatementVerdict> {
  const statement = parsed(text);
  if (statement === null) return different('form', `the file is not a statement in the form ${STATEMENT_FORMAT}`);
  const tree = treeOf(statement.checkpoint, platform);
  if (tree === null) return different('proof', 'the checkpoint is not one');
  const events: SealedEvent[] = [];
  for (const { index, leaf, path } of statement.evidence.events) {
    const event = parseLeaf(leaf);
    const hashes = path.map((number) => platform.fromBase64(statement.evidence.hashes[number] ?? ''));
    const root = event?.n === index ? rootOfPath(leaf, { index, size: tree.size, path: hashes }, platform) : null;
    if (event === null || root === null || platform.toBase64(root) !== tree.root)
      return different('proof', `${nameOf(index, event)} is not in the log in this form`);
    if (event.scope !== `project-${statement.project.id}`)
      return different('evidence', `${nameOf(index, event)} belongs to another project`);
    events.push(event);
  }
  const figure = await firstFigure(statement, events, platform);
  if (figure !== null) return different('figure', figure);
  if (text !== `${canonicalJson(statement)}\n`) return different('form', 'the file is not in its canonical form');
  return { kind: 'equal', statement, root: platform.fromBase64(tree.root), size: tree.size };
}

const nameOf = (index: number, event: SealedEvent | null): string =>
  `event ${String(index)}${event === null ? '' : ` (${event.type}, ${event.id})`}`;

async function firstFigure(statement: SignedStatement, events: readonly SealedEvent[], platform: Platform): Promise<string | null> {
  const { span, asked, days } = statement;
  if (span.month !== null) {
    const { from, to } = spanOfMonth(span.month, span.offsetMinutes);
    const found = firstDifference('span', { from: span.from, to: span.to }, { from, to });
    if (found !== null) return found;
  }
  const measured = new Map<string, readonly DayPart[]>(days.flatMap((day) => (day.measured ? [[day.day, day.intervals]] : [])));
  let computed: StatementFigures;
  try {
    computed = composeStatement(await readFacts(events, platform), { span, asked, measured });
  } catch (error) {
    return `the figures cannot be computed: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
  for (const [name, value] of Object.entries({ streams: streamExtents(events), ...computed })) {
    const found = firstDifference(name, statement[name as keyof SignedStatement], value);
    if (found !== null) return found;
  }
  return null;
}

function parsed(text: string): SignedStatement | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isStatement(value) ? value : null;
}

/** The members that recomputing and the page read; all others are compared with what it computes, or covered by the signature. */
function isStatement(value: unknown): value is SignedStatement {
  if (!isObject(value) || value['format'] !== STATEMENT_FORMAT) return false;
  const { span, evidence, days, asked } = value;
  return (
    hasHead(value) &&
    isObject(span) &&
    isBounded(span) &&
    (span['month'] === null || (typeof span['month'] === 'string' && MONTH.test(span['month']))) &&
    Number.isSafeInteger(span['offsetMinutes']) &&
    Array.isArray(asked) &&
    asked.every((name) => typeof name === 'string') &&
    Array.isArray(days) &&
    days.every((day) => isObject(day) && typeof day['day'] === 'string' && isDayParts(day['intervals'])) &&
    isObject(evidence) &&
    isTexts(evidence['hashes']) &&
    Array.isArray(evidence['events']) &&
    evidence['events'].every(isProvenEvent)
  );
}

function hasHead(value: Readonly<Record<string, unknown>>): boolean {
  const { project, keys, edition } = value;
  return (
    ['checkpoint', 'signature', 'pageSha256'].every((name) => typeof value[name] === 'string') &&
    isInstant(value['generatedAt']) &&
    isObject(project) &&
    ['id', 'title', 'url'].every((name) => typeof project[name] === 'string') &&
    (edition === null || isObject(edition)) &&
    isTexts(keys)
  );
}

const STATES: ReadonlySet<unknown> = new Set(['up', 'down', 'timeout']);
const LONGEST_SPAN = 400 * 86_400_000;
function isBounded({ from, to, until }: Readonly<Record<string, unknown>>): boolean {
  const [begin, end, known] = [from, to, until].map((value) => (isInstant(value) ? Date.parse(value) : NaN)) as [number, number, number];
  return begin <= known && known <= end && end - begin <= LONGEST_SPAN;
}

const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-/.test(value) && Number.isFinite(Date.parse(value)) && new Date(value).toISOString() === value;
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');
const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isDayParts = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((part) => Array.isArray(part) && part.length === 3 && isCount(part[0]) && isCount(part[1]) && STATES.has(part[2]));

const isProvenEvent = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value['index']) &&
  typeof value['leaf'] === 'string' &&
  Array.isArray(value['path']) &&
  value['path'].every(isCount);

/** Size and root of a checkpoint, signed or not. */
function treeOf(note: string, { fromBase64 }: Platform): { readonly size: number; readonly root: string } | null {
  const [, size = '', root = ''] = note.split('\n');
  return /^[1-9]\d{0,15}$/.test(size) && fromBase64(root).length === 32 ? { size: Number(size), root } : null;
}
