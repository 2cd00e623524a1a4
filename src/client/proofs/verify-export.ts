import { openCheckpoint, type SealCheckpoint } from './checkpoint.ts';
import { type ExportHead, parseExportHead, parseRow, textToSign } from './export-format.ts';
import { ExportOrder } from './export-order.ts';
import type { Finding } from './finding.ts';
import { parseLeaf, type SealedEvent } from './leaf.ts';
import { type Line, splitLines } from './lines.ts';
import { Climb, hashFromText, leafHash, nodeHash } from './merkle-tree.ts';
import { parseNote, signersOf, type VerifierKey } from './signed-note.ts';

interface Step {
  readonly node: number;
  readonly hash: Buffer;
  /** Number of path hashes above this node. */
  readonly remaining: number;
}

/**
 * `verifyInclusion` for many leaves of one tree. Neighbouring leaves share most of their path: where a proof reaches a node that the previous proof has
 * already verified, only the rest of the path is compared.
 */
class InclusionChecker {
  readonly #size: number;
  readonly #root: Buffer;
  /** The nodes of the last valid proof, by height. */
  #verified: (Step | undefined)[] = [];
  #path: readonly string[] = [];

  constructor(size: number, root: Buffer) {
    this.#size = size;
    this.#root = root;
  }

  check(leaf: Buffer, index: number, path: readonly string[]): boolean {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.#size) return false;
    const nodes: (Step | undefined)[] = [];
    const climb = new Climb(index, this.#size - 1);
    let hash = leaf;
    for (const [at, text] of path.entries()) {
      const { height, node } = climb;
      const step = { node, hash, remaining: path.length - at };
      nodes.length = height;
      if (this.#isVerified(height, step, path)) return this.#remember([...nodes, ...this.#verified.slice(height)], path);
      nodes[height] = step;
      const sibling = hashFromText(text);
      if (climb.isAtRoot || sibling === undefined) return false;
      hash = climb.siblingIsLeft ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
      climb.up();
    }
    return climb.isAtRoot && hash.equals(this.#root) && this.#remember(nodes, path);
  }

  #isVerified(height: number, { node, hash, remaining }: Step, path: readonly string[]): boolean {
    const known = this.#verified[height];
    if (known?.node !== node || known.remaining !== remaining || !known.hash.equals(hash)) return false;
    for (let back = 1; back <= remaining; back++) {
      if (path[path.length - back] !== this.#path[this.#path.length - back]) return false;
    }
    return true;
  }

  #remember(nodes: (Step | undefined)[], path: readonly string[]): true {
    this.#verified = nodes;
    this.#path = path;
    return true;
  }
}

const ED25519_BYTES = 64;

type OpenedHead =
  | { readonly kind: 'open'; readonly head: ExportHead; readonly checkpoint: SealCheckpoint; readonly key: VerifierKey }
  | { readonly kind: 'bad'; readonly reason: string };

const bad = (reason: string): OpenedHead => ({ kind: 'bad', reason });

function openHead(line: string, keys: readonly VerifierKey[]): OpenedHead {
  const signed = parseExportHead(line);
  if (typeof signed === 'string') return bad(signed);
  const { signature, ...head } = signed;
  const note = parseNote(`${textToSign(head)}\n${signature}`);
  const key = note === null ? null : (signersOf(note, keys)[0] ?? null);
  if (note === null || key === null) return bad('the head was changed or signed by an unknown key');
  // The signatures are the only text that the signature does not cover.
  if (note.signatures.some(({ name, signature: bytes }) => name !== key.name || bytes.length !== ED25519_BYTES)) {
    return bad('the head carries a signature of another origin');
  }
  const opened = openCheckpoint(head.checkpoint, keys);
  if (opened.kind !== 'open') return bad('the checkpoint in the head was not signed by this key');
  if (head.span.until >= opened.checkpoint.size) return bad('the head reaches beyond its checkpoint');
  return { kind: 'open', head, checkpoint: opened.checkpoint, key };
}

export type ExportVerdict =
  | { readonly kind: 'intact'; readonly head: ExportHead; readonly checkpoint: SealCheckpoint; readonly key: VerifierKey }
  | { readonly kind: 'tampered'; readonly finding: Finding };

/**
 * Verifies an export without server or database: a trusted key signed its head and checkpoint, every event is included in that checkpoint's tree exactly
 * as written, and no event that the head states is missing. Reads the file once and reports the first fault.
 */
export async function verifyExport(chunks: AsyncIterable<Uint8Array>, keys: readonly VerifierKey[]): Promise<ExportVerdict> {
  let opened: ReturnType<typeof openHead> = { kind: 'bad', reason: 'the file is empty' };
  let rows: Rows | undefined;
  for await (const line of splitLines(chunks)) {
    if (rows !== undefined) {
      rows.check(line);
      continue;
    }
    opened = line.whole ? openHead(line.text, keys) : { kind: 'bad', reason: 'the first line is truncated' };
    if (opened.kind === 'bad') break;
    rows = new Rows(opened.head, opened.checkpoint);
  }
  if (opened.kind === 'bad') return { kind: 'tampered', finding: { kind: 'head', message: opened.reason, line: 1 } };
  const finding = rows?.finish() ?? null;
  return finding === null ? { ...opened, kind: 'intact' } : { kind: 'tampered', finding };
}

class Rows {
  #first: Finding | null = null;
  /** The number of a last line without line feed: a truncated event, which then is missing, or text behind the end. */
  #tail: number | null = null;
  readonly #order: ExportOrder;
  readonly #inclusion: InclusionChecker;
  readonly #count: number;

  constructor(head: ExportHead, checkpoint: SealCheckpoint) {
    this.#order = new ExportOrder(head);
    this.#inclusion = new InclusionChecker(checkpoint.size, checkpoint.root);
    this.#count = head.count;
  }

  /** Continues after the first finding: later lines distinguish a change from an insertion and a removal from a move. */
  check(line: Line): void {
    if (!line.whole) {
      this.#tail = line.number;
      return;
    }
    const row = parseRow(line.text);
    const event = row === null ? null : parseLeaf(row.leaf);
    if (row !== null && event !== null && event.n === row.index && this.#inclusion.check(leafHash(row.leaf), row.index, row.path)) {
      const finding = this.#order.check(event, line.number);
      this.#first ??= finding;
    } else if (this.#first === null && !this.#order.hasGap) {
      this.#first = unproven(line.number, row?.index, event);
    }
  }

  finish(): Finding | null {
    if (this.#first?.kind !== 'changed') return this.#first ?? this.#order.finish() ?? this.#textBehindEnd();
    // All stated events are present, so the changed line is an additional one.
    return this.#order.proven === this.#count ? { ...this.#first, kind: 'inserted' } : this.#first;
  }

  #textBehindEnd(): Finding | null {
    if (this.#tail === null) return null;
    const message = `line ${String(this.#tail)} is text behind the last event of the export`;
    return { kind: 'inserted', line: this.#tail, message };
  }
}

function unproven(line: number, index: number | undefined, event: SealedEvent | null): Finding {
  const message = `line ${String(line)}${index === undefined ? '' : `, event ${String(index)},`} is not in the log in this form`;
  return {
    kind: 'changed',
    message,
    line,
    ...(index === undefined ? {} : { index }),
    ...(event === null ? {} : { event: event.id, stream: event.stream, revision: event.revision }),
  };
}
