import { canonicalJson, NotCanonical } from './canonical-json.ts';

// Without Node modules: the console verifies exports in the browser.

export const EXPORT_FORMAT = 'watchledger-export/1';

/** The first line of an export. It is signed, so that missing lines and missing streams are detected. */
export interface ExportHead {
  readonly format: typeof EXPORT_FORMAT;
  readonly project: string;
  /** The export holds all events of this scope. */
  readonly scope: string;
  /** The requested instants (null when open) and their positions: strictly after `after`, up to `until`. */
  readonly span: { readonly from: string | null; readonly to: string | null; readonly after: number; readonly until: number };
  readonly count: number;
  /** The first and the last revision of each stream. */
  readonly streams: Readonly<Record<string, readonly [first: number, last: number]>>;
  /** The signed note whose root all inclusion paths lead to. */
  readonly checkpoint: string;
}

export interface SignedExportHead extends ExportHead {
  /** The signature lines of a C2SP note whose text is the canonical JSON of the other members, and a line feed. */
  readonly signature: string;
}

/** An event of an export. */
export interface ExportRow {
  readonly index: number;
  /** Canonical JSON as text, hashed as it is. */
  readonly leaf: string;
  readonly path: readonly string[];
}

/**
 * The only accepted bytes of a line: RFC 8785 canonical JSON. Otherwise a repeated member could show a person, or a reader that takes the first of two, something
 * other than what was verified.
 */
export const exportLine = (value: SignedExportHead | ExportRow): string => canonicalJson(value);

export const textToSign = (head: ExportHead): string => `${canonicalJson(head)}\n`;

/** A head in its canonical form, not yet verified, or why the line is none. */
export function parseExportHead(line: string): SignedExportHead | string {
  const signed = parseJson(line);
  if (!isSignedHead(signed)) return `the first line is not a valid head of ${EXPORT_FORMAT}`;
  return isCanonical(signed, line) ? signed : 'the first line is not in its canonical form';
}

/** Null unless the line is exactly one event of an export. */
export function parseRow(line: string): ExportRow | null {
  const row = parseJson(line);
  if (!isRecord(row) || Object.keys(row).join() !== 'index,leaf,path') return null;
  const { index, leaf, path } = row;
  if (typeof index !== 'number' || typeof leaf !== 'string' || !Array.isArray(path)) return null;
  const texts = path.filter((hash) => typeof hash === 'string');
  const parsed = { index, leaf, path: texts };
  return isCanonical(parsed, line) ? parsed : null;
}

function isCanonical(value: SignedExportHead | ExportRow, line: string): boolean {
  try {
    return exportLine(value) === line;
  } catch (error) {
    if (error instanceof NotCanonical) return false;
    throw error;
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPosition = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= -1;

function isSignedHead(value: unknown): value is SignedExportHead {
  if (!isRecord(value) || value['format'] !== EXPORT_FORMAT) return false;
  const { span, streams, count } = value;
  const texts = ['project', 'scope', 'checkpoint', 'signature'];
  if (!texts.every((name) => typeof value[name] === 'string') || !isPosition(count) || !isRecord(span) || !isRecord(streams)) return false;
  const isInstant = (instant: unknown): boolean => instant === null || typeof instant === 'string';
  if (!isPosition(span['after']) || !isPosition(span['until']) || !isInstant(span['from']) || !isInstant(span['to'])) return false;
  return Object.values(streams).every((ends) => Array.isArray(ends) && ends.length === 2 && ends.every(isPosition));
}
