import { bytesOfBase64 } from '../../client/proofs/base64.ts';
import {
  type ExportRow,
  parseExportHead,
  parseRow,
  type SignedExportHead,
  textToSign,
  EXPORT_FORMAT,
} from '../../client/proofs/export-format.ts';
import { ExportOrder } from '../../client/proofs/export-order.ts';
import { parseLeaf, type SealedEvent } from '../../client/proofs/leaf.ts';
import { browserPlatform } from '../../client/verify/browser-platform.ts';
import { keysThatSigned } from '../../client/verify/note-signatures.ts';
import { rootOfPath, verifyProof } from '../../client/verify/verify-proof.ts';
import { NotVerified } from '../../client/verify/platform.ts';
import { receiptCrypto } from '../../client/verify/verify-crypto.ts';
import type { Schemas } from '../../client.ts';
import { checkReceipt } from '../../client/proofs/receipt/check-receipt.ts';
import { statementSigners } from '../../proof/statement/browser/verify-own-file.ts';
import { recomputeStatement } from '../../proof/statement/verify-statement.ts';

/** What the verification of a file found. */
export type FileFinding =
  | { readonly kind: 'holds'; readonly steps: readonly string[]; readonly keys: readonly string[] }
  | { readonly kind: 'differs'; readonly reason: string };

export const holds = (keys: readonly string[], steps: readonly string[]): FileFinding => ({ kind: 'holds', keys, steps });
export const differs = (reason: string): FileFinding => ({ kind: 'differs', reason });

/** The page stays usable while a long file is verified. */
const SLICE_MS = 20;

/** Verifies an export in the browser as `watchledger verify` does: signed head and checkpoint, every event in its tree, none missing, moved or added. */
export async function verifyExportText(text: string, keys: readonly string[], onProgress: (share: number) => void): Promise<FileFinding> {
  const [first = '', ...lines] = text.split('\n');
  const opened = openHead(first, keys);
  if (typeof opened === 'string') return differs(opened);
  const { head, tree, signers } = opened;
  const order = new ExportOrder(head);
  let until = performance.now() + SLICE_MS;
  for (const [index, line] of lines.entries()) {
    const isEnd = index === lines.length - 1;
    if (isEnd && line === '') break;
    if (isEnd) return differs(`line ${String(index + 2)} is text behind the last event of the export, or an event that was cut off`);
    const event = provenEvent(parseRow(line), tree);
    if (event === null) return differs(`line ${String(index + 2)} is not in the log in this form`);
    const finding = order.check(event, index + 2);
    if (finding !== null) return differs(finding.message);
    if (performance.now() < until) continue;
    onProgress(index / lines.length);
    await new Promise((done) => setTimeout(done));
    until = performance.now() + SLICE_MS;
  }
  const missing = order.finish();
  if (missing !== null) return differs(missing.message);
  const span = [head.span.from, head.span.to].map((instant) => instant ?? 'the open end').join(' to ');
  return holds(signers, [
    `The head states ${head.count.toLocaleString('en')} events of ${head.scope}, from ${span}; its signature is that of a given key.`,
    `Each of the events was hashed and led to the root of a tree of ${tree.size.toLocaleString('en')} events.`,
    'They are in the order of the log, each stream without a gap, and no event is there twice.',
    'The checkpoint of this tree is signed by the same key.',
  ]);
}

interface Tree {
  readonly size: number;
  readonly root: string;
}

interface OpenedExport {
  readonly head: SignedExportHead;
  readonly tree: Tree;
  readonly signers: readonly string[];
}

/** A head that a given key signed, with the tree of its checkpoint; otherwise why it is none. */
function openHead(line: string, keys: readonly string[]): OpenedExport | string {
  const head = parseExportHead(line);
  if (typeof head === 'string') return head;
  const { signature, ...signed } = head;
  const signers = keysThatSigned(`${textToSign(signed)}\n${signature}`, keys, browserPlatform);
  const [origin = '', size = '', root = ''] = head.checkpoint.split('\n');
  const ofCheckpoint = keysThatSigned(head.checkpoint, keys, browserPlatform).filter((key) => key.startsWith(`${origin}+`));
  if (signers.length === 0) return 'the head was changed or signed by an unknown key';
  if (!signers.some((key) => ofCheckpoint.includes(key))) return 'the checkpoint in the head was not signed by this key';
  if (!/^[1-9]\d{0,15}$/.test(size) || head.span.until >= Number(size)) return 'the head reaches beyond its checkpoint';
  return { head, tree: { size: Number(size), root }, signers };
}

function provenEvent(row: ExportRow | null, { size, root }: Tree): SealedEvent | null {
  const event = row === null ? null : parseLeaf(row.leaf);
  if (row === null || event?.n !== row.index) return null;
  const path = row.path.map(bytesOfBase64).filter((hash) => hash?.length === 32);
  if (path.length !== row.path.length) return null;
  // Cast: the filter leaves no undefined one.
  const found = rootOfPath(row.leaf, { index: row.index, size, path: path as Uint8Array[] }, browserPlatform);
  return found !== null && browserPlatform.toBase64(found) === root ? event : null;
}

const PROOF_HEAD = 'c2sp.org/tlog-proof@v1\n';

/** Verifies a statement, an export, a proof of an event or a receipt, all of it in the browser. `keys`: verifier keys that the person trusts. */
export async function verifyGivenFile(
  bytes: Uint8Array,
  keys: readonly string[],
  onProgress: (share: number) => void,
): Promise<FileFinding> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return differs('the file is not text in UTF-8');
  }
  if (text.startsWith(PROOF_HEAD)) return verifyProofText(text, keys);
  const [first = ''] = text.split('\n', 1);
  if (first.includes(`"format":"${EXPORT_FORMAT}"`)) return verifyExportText(text, keys, onProgress);
  const value = parsed(text);
  if (hasMembers(value, ['body', 'request', 'response'])) return verifyReceipt(text, keys);
  // Cast: what is missing or of another kind is found by the verification.
  if (hasMembers(value, ['leaf', 'path', 'checkpoint', 'index', 'size'])) return proven(value as unknown as Schemas['Proof'], keys);
  return verifyStatement(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const hasMembers = (value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && names.every((name) => name in value);

/** The keys of a statement are in it, and named: its receiver compares them with keys from elsewhere. */
async function verifyStatement(text: string): Promise<FileFinding> {
  const verdict = await recomputeStatement(text, browserPlatform);
  if (verdict.kind === 'different') return differs(verdict.finding.message);
  const { statement, size } = verdict;
  const signers = statementSigners(statement);
  if (signers.length === 0) return differs('checkpoint and statement are not both signed by a key that the statement names');
  return holds(signers, [
    `The statement is about ${statement.project.title}, from ${statement.span.from} to ${statement.span.to}.`,
    `Each of its ${statement.evidence.events.length.toLocaleString('en')} events was hashed and led to the root of a tree of ${size.toLocaleString('en')} events.`,
    `Every figure was computed again from these events: ${String(statement.figures.length)} ${statement.figures.length === 1 ? 'method' : 'methods'} of counting, the same results.`,
    'The checkpoint and the statement are signed by the same key.',
  ]);
}

/** A C2SP tlog-proof, whose extra data is the event. */
function verifyProofText(text: string, keys: readonly string[]): FileFinding {
  const end = text.indexOf('\n\n');
  const [, extra = '', index = '', ...path] = text.slice(0, Math.max(0, end)).split('\n');
  const checkpoint = text.slice(end + 2);
  if (!extra.startsWith('extra ') || !index.startsWith('index ')) return differs('the file is not a proof with its event as extra data');
  const leaf = new TextDecoder().decode(browserPlatform.fromBase64(extra.slice('extra '.length)));
  const size = Number(checkpoint.split('\n')[1]);
  return proven({ index: Number(index.slice('index '.length)), size, leaf, path, checkpoint }, keys);
}

function proven(proof: Pick<Schemas['Proof'], 'index' | 'size' | 'leaf' | 'path' | 'checkpoint'>, keys: readonly string[]): FileFinding {
  try {
    const { event, origin, size } = verifyProof(proof, keys);
    return holds(
      keys.filter((key) => key.startsWith(`${origin}+`)),
      [
        `The file holds event ${event.n.toLocaleString('en')}, ${event.type}, recorded ${event.recordedAt}.`,
        `${String(proof.path.length)} hashes lead from it to the root of a tree of ${size.toLocaleString('en')} events.`,
        'The checkpoint of this tree is signed by a given key.',
      ],
    );
  } catch (error) {
    if (error instanceof NotVerified || error instanceof TypeError) return differs(error.message);
    throw error;
  }
}

function verifyReceipt(text: string, keys: readonly string[]): FileFinding {
  const known = keys.flatMap((key) => receiptCrypto.keyOf(key) ?? []);
  const verdict = checkReceipt(text, known, Date.now(), receiptCrypto);
  if (verdict.kind !== 'signed') return differs(verdict.reason);
  const { file, statement, position, body, signers } = verdict.receipt;
  return holds(
    signers.map((key) => key.text),
    [
      `The answer to ${file.request['@method'] ?? 'GET'} ${file.request['@path'] ?? ''} for account ${String(statement.account)}, as of ${statement.at}.`,
      `Its ${body.length.toLocaleString('en')} bytes are those of the signed digest.`,
      `It stands on the log up to position ${position.toLocaleString('en')}; watchledger recompute computes it again from there.`,
    ],
  );
}
