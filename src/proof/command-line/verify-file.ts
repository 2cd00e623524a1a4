import { createReadStream, readFileSync } from 'node:fs';
import { EVIDENCE_FILE_HEAD } from '../../checker/evidence/evidence-file.ts';
import { Judge } from '../../checker/judging/judge.ts';
import { BadPolicy, parsePolicy, quorumOf, type QuorumVerdict, type TrustPolicy } from '../../client/proofs/policy.ts';
import { LineTooLong } from '../../client/proofs/lines.ts';
import { ORIGIN_END_START, verifyOriginEnd } from '../../client/proofs/origin-end.ts';
import { parseVerifierKey, type VerifierKey } from '../../client/proofs/signed-note.ts';
import { RECEIPT_FILE_HEAD } from '../../client/proofs/receipt/receipt-file.ts';
import { TLOG_PROOF_HEAD, verifyTlogProof } from '../../client/proofs/tlog-proof.ts';
import { verifyExport } from '../../client/proofs/verify-export.ts';
import { type CliOutput, WrongUse } from '../../platform/cli/command.ts';
import { verifyEvidence } from './verify-evidence.ts';
import { verifyReceiptText } from './verify-receipt-text.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { PAGE_START } from '../statement/page/page-file.ts';
import { verifyStatementPage } from '../statement/command-line/verify-statement-page.ts';
import { STATEMENT_START, verifyStatementText } from '../statement/command-line/verify-statement-text.ts';
import { type FileTrust, noQuorum } from './file-trust.ts';

/** Files of this size hold no page of 5 MiB and no statement of a year; exports, which are read line by line, have no limit. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The file cannot be what its beginning says. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The first bytes of a file, or of standard input for `-`, and the whole of it. */
async function peek(file: string, bytes: number): Promise<{ start: string; chunks: AsyncIterable<Uint8Array> }> {
  const stream: AsyncIterable<Uint8Array> = file === '-' ? process.stdin : createReadStream(file);
  const rest = stream[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  while (first.length < bytes) {
    const next = await rest.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield first;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { start: first.subarray(0, bytes).toString(), chunks: chunks() };
}

/** Invalid bytes are refused: as replacement characters they would be equal to others. */
export async function textOf(chunks: AsyncIterable<Uint8Array>, limit = MAX_BYTES): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limit) throw new UnreadableFile(`the file is larger than ${String(limit / 1024 / 1024)} MiB`);
    parts.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    throw new UnreadableFile('the file is not valid UTF-8');
  }
}

/** An export, a statement, evidence, a receipt, the end of an origin, or a proof in the form of C2SP tlog-proof. Needs neither server nor database, only the file and the keys. */
export async function verifyFile(file: string, trust: FileTrust, output: CliOutput): Promise<number> {
  try {
    return await verifyByStart(file, trust, output);
  } catch (error) {
    if (!(error instanceof UnreadableFile || error instanceof LineTooLong)) throw error;
    output.result({ intact: false, finding: { kind: 'file', message: error.message } }, `NOT INTACT: ${error.message}`);
    return 1;
  }
}

interface FileKind {
  readonly start: string;
  readonly verify: (text: string, trust: FileTrust, output: CliOutput) => Promise<number> | number;
}

/** By the first bytes; a file of another kind is an export. */
const kinds: readonly FileKind[] = [
  { start: STATEMENT_START, verify: (text, trust, output) => verifyStatementText(text, trust, output) },
  { start: PAGE_START, verify: verifyStatementPage },
  { start: RECEIPT_FILE_HEAD, verify: verifyReceiptText },
  { start: ORIGIN_END_START, verify: verifyEndOfOrigin },
  { start: TLOG_PROOF_HEAD, verify: verifyProof },
  { start: EVIDENCE_FILE_HEAD, verify: verifyEvidenceFile },
];

async function verifyByStart(file: string, trust: FileTrust, output: CliOutput): Promise<number> {
  const { start, chunks } = await peek(file, TLOG_PROOF_HEAD.length);
  const kind = kinds.find((candidate) => start.startsWith(candidate.start));
  if (kind !== undefined) return kind.verify(await textOf(chunks), trust, output);
  const verdict = await verifyExport(chunks, trust.keys);
  if (verdict.kind === 'tampered') {
    output.result({ intact: false, finding: verdict.finding }, `NOT INTACT: ${verdict.finding.message}`);
    return 1;
  }
  const { head, checkpoint, key } = verdict;
  const { project, span, count } = head;
  const quorum = trust.policy === null ? null : quorumOf(trust.policy, head.checkpoint);
  if (quorum?.isMet === false) return refuseQuorum(quorum, output);
  output.result(
    {
      intact: true,
      project,
      span,
      count,
      checkpoint: { origin: checkpoint.origin, size: checkpoint.size },
      key: key.text,
      ...(quorum && { cosigners: quorum.cosigners }),
    },
    `Intact: ${String(count)} events of project ${project}, as sealed by ${checkpoint.origin} under ${String(checkpoint.size)} events.`,
  );
  return 0;
}

/** The log is intact as far as its signer goes, but too few witnesses of the policy vouch for it. */
function refuseQuorum({ cosigners }: QuorumVerdict, output: CliOutput): number {
  const message = noQuorum(cosigners);
  output.result({ intact: false, finding: { kind: 'quorum', message } }, `NOT INTACT: ${message}`);
  return 1;
}

function verifyProof(text: string, { keys, policy }: FileTrust, output: CliOutput): number {
  const verdict = verifyTlogProof(text, keys);
  if (verdict.kind === 'refuted') {
    output.result({ intact: false, finding: { kind: 'proof', message: verdict.reason } }, `NOT INTACT: ${verdict.reason}`);
    return 1;
  }
  const { index, leaf, note, opened } = verdict;
  const quorum = policy === null ? null : quorumOf(policy, note);
  if (quorum?.isMet === false) return refuseQuorum(quorum, output);
  const { origin, size } = opened.checkpoint;
  output.result(
    {
      intact: true,
      index,
      event: JSON.parse(leaf) as unknown,
      checkpoint: { origin, size },
      key: opened.key.text,
      ...(quorum && { cosigners: quorum.cosigners }),
    },
    `Intact: event ${String(index)}, as sealed by ${origin} under ${String(size)} events.\n${leaf}`,
  );
  return 0;
}

function verifyEndOfOrigin(text: string, { keys }: FileTrust, output: CliOutput): number {
  const verdict = verifyOriginEnd(text, keys);
  if (verdict.kind === 'refuted') {
    output.result({ intact: false, finding: { kind: 'origin-end', message: verdict.reason } }, `NOT INTACT: ${verdict.reason}`);
    return 1;
  }
  const { end, signers, last } = verdict;
  const { ended, losses, continuesAs } = end;
  const signedBy = signers.map(({ text: key }) => key);
  const extent =
    last === null ? 'Its last checkpoint is not signed by a given key' : `Its last checkpoint is over ${String(last.size)} events`;
  output.result({ intact: true, ended, last: last && { size: last.size }, losses, continuesAs, signedBy }, () =>
    [
      `Intact: ${ended} ended, and the log continues as ${continuesAs.origin}. ${extent}.`,
      ...losses.map(
        ({ from, to, reason, n }) => `Event ${String(n)} declares that of ${String(from)} sealed events ${String(to)} remain: ${reason}`,
      ),
      `Signed by ${signedBy.join(', ')}`,
      ...continuesAs.keys.map((key) => `The next key is ${key}`),
    ].join('\n'),
  );
  return 0;
}

async function verifyEvidenceFile(text: string, { keys, policy }: FileTrust, output: CliOutput): Promise<number> {
  const verdict = await verdictOn(text, keys);
  if (verdict.kind === 'refuted') {
    output.result({ intact: false, finding: { kind: 'evidence', message: verdict.reason } }, `NOT INTACT: ${verdict.reason}`);
    return 1;
  }
  const { event, proven, notes } = verdict;
  const quorum = policy === null ? null : quorumOf(policy, proven.note);
  if (quorum?.isMet === false) return refuseQuorum(quorum, output);
  const { checkpoint, key } = proven.opened;
  output.result(
    {
      intact: true,
      event: { id: event.id, type: event.type, n: event.n },
      checkpoint: { origin: checkpoint.origin, size: checkpoint.size },
      key: key.text,
      notes,
    },
    [
      `Intact: ${event.type} ${event.id} follows from these bytes, as sealed by ${checkpoint.origin} under ${String(checkpoint.size)} events.`,
      ...notes,
    ].join('\n'),
  );
  return 0;
}

async function verdictOn(text: string, keys: FileTrust['keys']): ReturnType<typeof verifyEvidence> {
  const judge = new Judge();
  try {
    return await verifyEvidence(text, keys, judge);
  } finally {
    await judge.close();
  }
}

/** One key, or several separated by commas, as `GET /ledger/key` lists them. */
export function readKeys(text: string): readonly VerifierKey[] {
  try {
    return text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(parseVerifierKey);
  } catch (error) {
    throw new WrongUse(`--key: ${reasonOf(error)}`);
  }
}

export function readPolicy(file: string): TrustPolicy {
  try {
    return parsePolicy(readFileSync(file));
  } catch (error) {
    if (error instanceof BadPolicy) throw new WrongUse(`--policy: ${file}: ${error.message}`);
    throw error;
  }
}

/** A checkpoint kept in a file; mail programs and editors change line ends and trailing white space. */
export const readNote = (file: string): string => `${readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
