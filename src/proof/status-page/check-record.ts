import { type OpenedCheckpoint, openCheckpoint } from '../../client/proofs/checkpoint.ts';
import { parseLeaf } from '../../client/proofs/leaf.ts';
import { hashFromText, leafHash, verifyInclusion } from '../../client/proofs/merkle-tree.ts';
import type { VerifierKey } from '../../client/proofs/signed-note.ts';
import type { ProvenPageEvent, ProvenRecord } from './proven-record.ts';
import { checkWords, type ProvenIncidentEvent, RefutedPage } from './check-words.ts';

type Opened = Extract<OpenedCheckpoint, { kind: 'open' }>;

/** What was verified of a page, in numbers. */
export interface CheckedRecord {
  readonly opened: Opened;
  readonly incidents: number;
  readonly texts: number;
  readonly edits: number;
  /** Texts whose events are older than those that the record holds. */
  readonly unprovenTexts: number;
  readonly events: number;
  /** Failing items whose event stands in the log. */
  readonly failures: number;
}

/** Verifies everything that the record of a page claims, and the words of the page against it. Throws `RefutedPage` at the first difference. */
export function checkRecord(record: ProvenRecord, html: string, keys: readonly VerifierKey[]): CheckedRecord {
  const opened = openCheckpoint(record.checkpoint, keys);
  if (opened.kind !== 'open')
    throw new RefutedPage(`the checkpoint is ${opened.kind === 'malformed' ? 'malformed' : 'not signed by a trusted key'}`);
  const words = new Map<number, ProvenIncidentEvent>();
  for (const event of record.events) {
    requireInclusion(event, opened);
    const proven = wordsOfEvent(event);
    if (proven !== null) words.set(event.n, proven);
  }
  const known = new Map(record.events.map((event) => [event.n, event]));
  const failing = record.items.filter(({ state }) => state === 'failing');
  for (const item of failing) requireFailure(item, known);
  const checked = checkWords(record.incidents, [...words.values()], html);
  return { opened, ...checked, events: record.events.length, failures: failing.length };
}

function requireInclusion({ n, leafHash: named, path }: ProvenPageEvent, { checkpoint: { size, root } }: Opened): void {
  const [hash, hashes] = [hashFromText(named), path.map(hashFromText)];
  const isProven = hash !== undefined && !hashes.includes(undefined) && verifyInclusion(hash, n, size, hashes as readonly Buffer[], root);
  if (!isProven) throw new RefutedPage(`event ${String(n)} is not in the log under the hash that the page names`);
}

/** The event of a published incident; null: its words are private. */
function wordsOfEvent({ n, recordedAt, leafHash: named, leaf }: ProvenPageEvent): ProvenIncidentEvent | null {
  if (leaf === undefined) return null;
  const event = parseLeaf(leaf);
  if (event?.n !== n || !leafHash(leaf).equals(hashFromText(named) ?? Buffer.alloc(0)))
    throw new RefutedPage(`the words of event ${String(n)} are not those of its hash`);
  if (Date.parse(event.recordedAt) !== Date.parse(recordedAt))
    throw new RefutedPage(`event ${String(n)} was recorded at ${event.recordedAt}, and not at ${recordedAt}`);
  // Cast: which members there are is checked where they are compared.
  return { n, type: event.type, recordedAt: event.recordedAt, data: event.data as Readonly<Record<string, unknown>> };
}

function requireFailure(
  { name, event, since, recordedAt }: ProvenRecord['items'][number],
  known: ReadonlyMap<number, ProvenPageEvent>,
): void {
  const found = event === null ? undefined : known.get(event);
  if (found === undefined) throw new RefutedPage(`the page names no event of the failure of "${name}"`);
  if (found.kind !== 'failing' || found.recordedAt !== recordedAt || Date.parse(found.about ?? '') !== Date.parse(since ?? ''))
    throw new RefutedPage(`the failure of "${name}" is not the one of event ${String(found.n)}`);
}
