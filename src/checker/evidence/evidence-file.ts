import { canonicalJson } from '../../client/proofs/canonical-json.ts';
import type { Exchange } from '../../platform/observations/exchanges/exchange.ts';
import type { ByteRange } from '../locating/located-page.ts';
import { isObject } from '../../kernel/is-object.ts';

const FORMAT = 'watchledger-evidence/1';

/** Everything that is needed to judge again, offline, what an event states. */
export interface EvidenceFile {
  readonly project: string;
  /** Inclusion proof in the form of C2SP tlog-proof, with the event as its extra data. */
  readonly proof: string;
  readonly exchange: Exchange;
  /** The page in base64; null where no page was kept with the event. */
  readonly page: string | null;
  /** The bytes of the page that decided each rule; empty where nothing was judged. */
  readonly bytes: readonly (ByteRange | null)[];
}

/** How the file begins, as its members are sorted. */
export const EVIDENCE_FILE_HEAD = '{"bytes":[';

/** Canonical JSON (RFC 8785) and a line feed: one content has one form. */
export const formatEvidenceFile = (file: EvidenceFile): string =>
  `${canonicalJson({ ...file, format: FORMAT }, { loneSurrogates: 'escape' })}\n`;

const MEMBERS = 'bytes,exchange,format,page,project,proof';

/** The file, or why it is none. An exchange is known by its hash only: its members are those of the event's time. */
export function parseEvidenceFile(text: string): EvidenceFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'the file is not valid JSON';
  }
  if (!isObject(value) || Object.keys(value).sort().join() !== MEMBERS) return 'the file has other members than evidence has';
  const { format, ...file } = value;
  if (format !== FORMAT) return `the file is not of the format ${FORMAT}`;
  if (!isEvidenceFile(file)) return 'a member of the file is of another type than that of evidence';
  let written: string;
  try {
    written = formatEvidenceFile(file);
  } catch {
    return 'the file is nested too deep';
  }
  if (written === text) return file;
  let at = 0;
  while (at < text.length && text[at] === written[at]) at++;
  return `the file is not in canonical form at character ${String(at)}`;
}

type Members = Readonly<Record<string, unknown>>;
const isRange = (value: unknown): boolean =>
  value === null || (isObject(value) && ['from', 'to', 'line'].every((name) => Number.isSafeInteger(value[name])));

const isEvidenceFile = (file: Members): file is Members & EvidenceFile =>
  typeof file['project'] === 'string' &&
  typeof file['proof'] === 'string' &&
  (file['page'] === null || typeof file['page'] === 'string') &&
  isObject(file['exchange']) &&
  Array.isArray(file['bytes']) &&
  file['bytes'].every(isRange);

/** The note without cosignatures, which only the keys of their witnesses verify. */
export function withoutCosignatures(note: string): string {
  const [origin = ''] = note.split('\n', 1);
  const end = note.indexOf('\n\n') + 2;
  const own = note
    .slice(end)
    .split('\n')
    .filter((line) => line.startsWith(`— ${origin} `));
  return `${note.slice(0, end)}${own.join('\n')}\n`;
}
