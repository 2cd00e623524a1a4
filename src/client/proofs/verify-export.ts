import type { SealCheckpoint } from './checkpoint.ts';
import { parseRow, type ExportHead } from './export-format.ts';
import { openHead } from './export-head.ts';
import { ExportOrder } from './export-order.ts';
import type { Finding } from './finding.ts';
import { InclusionChecker } from './inclusion-checker.ts';
import { parseLeaf, type SealedEvent } from './leaf.ts';
import { splitLines, type Line } from './lines.ts';
import { leafHash } from './merkle-tree.ts';
import type { VerifierKey } from './signed-note.ts';

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
