import { canonicalJson } from '../../ledger/verify/canonical-json.ts';
import type { Exchange } from '../../observations/exchanges/exchange.ts';
import type { ByteRange } from '../locating/byte-range.ts';

const FORMAT = 'watchledger-evidence/1';

/** Everything that is needed to judge again, offline, what an event states. */
export interface EvidenceFile {
  readonly project: string;
  /** Inclusion proof in the form of C2SP tlog-proof, with the event as its extra data. */
  readonly proof: string;
  readonly exchange: Exchange;
  /** In base64; null where no page was kept with the event. */
  readonly page: string | null;
  /** Of each rule; empty where nothing was judged. */
  readonly bytes: readonly (ByteRange | null)[];
}

/** How the file begins, as its members are sorted. */
export const EVIDENCE_FILE_HEAD = '{"bytes":[';

/** Canonical JSON (RFC 8785) and a line feed: one content has one form. */
export const formatEvidenceFile = (file: EvidenceFile): string =>
  `${canonicalJson({ ...file, format: FORMAT }, { loneSurrogates: 'escape' })}\n`;

const MEMBERS = 'bytes,exchange,format,page,project,proof';

/** The file, or why it is none. */
export function parseEvidenceFile(text: string): EvidenceFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `the file is not valid JSON: ${String(error)}`;
  }
  if (typeof value !== 'object' || value === null || Object.keys(value).sort().join() !== MEMBERS)
    return 'the file has other members than evidence has';
  const { format, ...file } = value as EvidenceFile & { readonly format: unknown };
  if (format !== FORMAT) return `the file is not of the format ${FORMAT}`;
  const written = formatEvidenceFile(file);
  if (written === text) return file;
  let at = 0;
  while (at < text.length && text[at] === written[at]) at++;
  return `the file is not in canonical form at character ${String(at)}`;
}

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
