import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { openCheckpoint, type SealCheckpoint } from '../../client/proofs/checkpoint.ts';
import { hashFromText, verifyConsistency } from '../../client/proofs/merkle-tree.ts';
import { quorumOf, type TrustPolicy } from '../../client/proofs/policy.ts';
import { parseVerifierKey, type VerifierKey } from '../../client/proofs/signed-note.ts';
import { type CliOutput, WrongUse } from '../../platform/cli/command.ts';
import { noQuorum } from '../command-line/file-trust.ts';
import { type CheckedRecord, checkRecord } from './check-record.ts';
import { RefutedPage } from './check-words.ts';
import { PROVEN_RECORD, type ProvenRecord } from './proven-record.ts';
import { isUrl } from '../../kernel/url.ts';

const DEADLINE_MS = 30_000;
const MOST_BYTES = 32 * 1_024 * 1_024;

/** The page and its record could not be fetched: nothing is known. */
class PageUnreachable extends Error {
  override readonly name = 'PageUnreachable';
}

/** The address of a page without a slash at its end: `https://host/status/slug`, or a host of its own. */
function pageAddress(text: string): string {
  const url = isUrl(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new WrongUse(`--status-page: "${text}" is not the address of a page`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

async function fetched(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS), headers: { accept: '*/*' } });
    if (!answer.ok) throw new PageUnreachable(`${url} answered ${String(answer.status)}`);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of answer.body ?? []) {
      bytes += part.length;
      if (bytes > MOST_BYTES) throw new PageUnreachable(`${url} answered more than ${String(MOST_BYTES / 1_024 / 1_024)} MiB`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  } catch (error) {
    if (error instanceof PageUnreachable) throw error;
    throw new PageUnreachable(`${url} could not be fetched: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const fetchHtml = (page: string): Promise<string> => fetched(page.includes('/status/') ? page : `${page}/`);

async function fetchRecord(page: string): Promise<ProvenRecord> {
  const text = await fetched(`${page}/record.json`);
  try {
    const value = JSON.parse(text) as ProvenRecord;
    if (value.format === PROVEN_RECORD && hasParts(value)) return value;
  } catch {
    // Refused below.
  }
  throw new RefutedPage(`${page}/record.json is not the record of a status page in the form ${PROVEN_RECORD}`);
}

const hasParts = ({ items, incidents, events, keys, checkpoint, title }: ProvenRecord): boolean =>
  [items, incidents, events, keys].every((list) => Array.isArray(list)) &&
  [checkpoint, title].every((text) => typeof text === 'string') &&
  events.every(({ n, path, leafHash }) => Number.isSafeInteger(n) && Array.isArray(path) && typeof leafHash === 'string') &&
  incidents.every(({ updates }) => Array.isArray(updates) && updates.every(({ wordings }) => Array.isArray(wordings)));

/** The hashes that show that the log of `to` events extends the log of `from`, in base64. */
async function fetchConsistency(page: string, from: number, to: number): Promise<readonly string[]> {
  const { path } = JSON.parse(await fetched(`${page}/consistency/${String(from)}/${String(to)}`)) as { readonly path?: unknown };
  if (!Array.isArray(path)) throw new RefutedPage('the proof that the log was only extended is malformed');
  return path.map(String);
}

interface PageTrust {
  /** Null for those of the pin. */
  readonly keys: readonly VerifierKey[] | null;
  readonly policy: TrustPolicy | null;
  /** A file with the keys of the first verification, and the last checkpoint. */
  readonly pin: string | null;
}

interface Pin {
  readonly keys: readonly string[];
  readonly checkpoint: string;
}

/** A page in memory may be older than its record by this much. */
const LAG_MS = 4_000;

/** Whether a status page of another installation says what its sealed log says, as far as a stranger can know. */
export async function verifyStatusPage(
  address: string,
  trust: PageTrust,
  output: CliOutput,
  { lagMs }: { readonly lagMs: number } = { lagMs: LAG_MS },
): Promise<number> {
  const page = pageAddress(address);
  try {
    return await verify(page, trust, lagMs, output);
  } catch (error) {
    if (!(error instanceof RefutedPage || error instanceof PageUnreachable)) throw error;
    const kind = error instanceof RefutedPage ? 'status-page' : 'unreachable';
    const said = error instanceof RefutedPage ? 'NOT PROVEN' : 'NOT CHECKED';
    output.result({ intact: false, page, finding: { kind, message: error.message } }, `${said}: ${error.message}`);
    return 1;
  }
}

async function verify(page: string, { keys, policy, pin }: PageTrust, lagMs: number, output: CliOutput): Promise<number> {
  const pinned = pin !== null && existsSync(pin) ? readPin(pin) : null;
  const { record, checked } = await checkTwice(page, lagMs, (found) => keys ?? (pinned ?? found).keys.map(parseVerifierKey));
  const quorum = policy === null ? null : quorumOf(policy, record.checkpoint);
  if (quorum?.isMet === false) throw new RefutedPage(noQuorum(quorum.cosigners));
  const { checkpoint, key } = checked.opened;
  const before = pinned === null ? null : await requireExtension(page, pinned, checked);
  if (pin !== null)
    writeFileSync(
      pin,
      `${JSON.stringify({ keys: pinned?.keys ?? keys?.map(({ text }) => text) ?? record.keys, checkpoint: record.checkpoint }, null, 2)}\n`,
    );
  const firstLook = pin !== null && pinned === null && keys === null;
  const result = {
    intact: true,
    page,
    title: record.title,
    at: record.at,
    key: key.text,
    firstLook,
    checkpoint: { origin: checkpoint.origin, size: checkpoint.size },
    extends: before === null ? null : { size: before.size },
    proven: {
      incidents: checked.incidents,
      texts: checked.texts,
      edits: checked.edits,
      events: checked.events,
      failures: checked.failures,
    },
    notProven: [...notProven(checked)],
    ...(quorum && { cosigners: quorum.cosigners }),
  };
  output.result(result, () =>
    [...proven(record, checked, before, firstLook), ...notProven(checked).map((line) => `Not proven: ${line}`)].join('\n'),
  );
  return 0;
}

/** A page that was served from memory may lag behind its record. */
async function checkTwice(
  page: string,
  lagMs: number,
  keysOf: (record: ProvenRecord) => readonly VerifierKey[],
): Promise<{ readonly record: ProvenRecord; readonly checked: CheckedRecord }> {
  const look = async () => {
    const [record, html] = [await fetchRecord(page), await fetchHtml(page)];
    return { record, checked: checkRecord(record, html, keysOf(record)) };
  };
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof RefutedPage)) throw error;
    await setTimeout(lagMs);
    return look();
  }
}

function readPin(file: string): Pin {
  try {
    const { keys, checkpoint } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Pin>;
    if (Array.isArray(keys) && keys.length > 0 && typeof checkpoint === 'string') return { keys, checkpoint };
  } catch {
    // Refused below.
  }
  throw new WrongUse(`--pin: ${file} was not written by this command`);
}

/** Requires that the log still contains everything that it contained at the last verification. */
async function requireExtension(page: string, pin: Pin, { opened: { checkpoint } }: CheckedRecord): Promise<SealCheckpoint> {
  const before = openCheckpoint(pin.checkpoint, pin.keys.map(parseVerifierKey));
  if (before.kind !== 'open') throw new WrongUse('--pin: its checkpoint is not signed by its keys');
  const last = before.checkpoint;
  if (last.origin !== checkpoint.origin) throw new RefutedPage(`the page is of another log: ${checkpoint.origin}, and not ${last.origin}`);
  if (last.size > checkpoint.size)
    throw new RefutedPage(`the log has ${String(checkpoint.size)} events, fewer than at the last look: ${String(last.size)}`);
  const path = last.size === checkpoint.size ? [] : (await fetchConsistency(page, last.size, checkpoint.size)).map(hashFromText);
  const isExtended = !path.includes(undefined) && verifyConsistency(last, checkpoint, path as readonly Buffer[]);
  if (!isExtended) throw new RefutedPage(`the log was changed: it does not contain the ${String(last.size)} events of the last look`);
  return last;
}

function proven(record: ProvenRecord, checked: CheckedRecord, before: SealCheckpoint | null, firstLook: boolean): readonly string[] {
  const { checkpoint, key } = checked.opened;
  const edits = checked.edits === 0 ? '' : `, ${String(checked.edits)} of them before an edit that the page shows as one`;
  return [
    `The status page "${record.title}" says what its log says, as sealed by ${checkpoint.origin} under ${String(checkpoint.size)} events.`,
    `Proven: ${String(checked.texts)} texts of ${String(checked.incidents)} incidents stand in the log word for word${edits}; the log took each at the time that the page states.`,
    `Proven: ${String(checked.events)} events behind items and incidents stand in the log, each under the hash that the page names.`,
    ...(checked.failures === 0
      ? []
      : [`Proven: the log has an event for each of ${String(checked.failures)} items that fail now; its content is private.`]),
    ...(before === null ? [] : [`Proven: the log still contains all ${String(before.size)} events of the last look, unchanged.`]),
    firstLook
      ? `Trusted on first use: the key ${key.text}, which the page itself names. Compare it with one from elsewhere.`
      : `Signed by ${key.text}`,
  ];
}

/** What a stranger has to believe. */
const notProven = ({ unprovenTexts }: CheckedRecord): readonly string[] => [
  ...(unprovenTexts === 0 ? [] : [`${String(unprovenTexts)} texts of incidents that are older than the events of the record.`]),
  'what was measured: events of measurements are private, and so are the names of items, percentages and bars that follow from them.',
  'that everything is shown: an event that the page does not name is not missed here.',
  'that others are shown the same page and the same log: witnesses cosign checkpoints against that (--policy).',
];
