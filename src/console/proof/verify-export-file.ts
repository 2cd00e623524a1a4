import { bytesOfBase64 } from '../../client/proofs/base64.ts';
import { type ExportRow, parseExportHead, parseRow, type SignedExportHead, textToSign } from '../../client/proofs/export-format.ts';
import { ExportOrder } from '../../client/proofs/export-order.ts';
import { parseLeaf, type SealedEvent } from '../../client/proofs/leaf.ts';
import { browserPlatform } from '../../client/verify/browser-platform.ts';
import { keysThatSigned } from '../../client/verify/note-signatures.ts';
import { rootOfPath } from '../../client/verify/inclusion.ts';
import { holds, differs, type FileFinding } from './file-finding.ts';

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
