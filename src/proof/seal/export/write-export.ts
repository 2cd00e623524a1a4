import type { Log } from '../../../platform/log/log.ts';
import type { Signer } from '../signer.ts';
import {
  EXPORT_FORMAT,
  exportLine,
  textToSign,
  type ExportHead,
  type ExportRow,
  type SignedExportHead,
} from '../../../client/proofs/export-format.ts';
import { leafOf } from '../../../client/proofs/leaf.ts';
import { hashToText } from '../../../client/proofs/merkle-tree.ts';
import type { TileTree } from '../../../client/proofs/tile-tree.ts';

export interface ExportRequest {
  readonly project: string;
  readonly scope: string;
  readonly span: ExportHead['span'];
}

export interface ExportSource {
  readonly log: Pick<Log, 'read'>;
  readonly tree: TileTree;
  readonly signers: readonly Signer[];
  /** A signed note and its size, which covers the whole span. */
  readonly checkpoint: { readonly note: string; readonly size: number };
}

/** Bounds the memory: each event of a page may need tiles of its own. */
const PAGE = 256;
const SUMMARY_PAGE = 2000;

/** Writes all events of a scope and span in chunks of whole lines. Reads them twice, page by page, because the signed head states their number. */
export async function* writeExport(source: ExportSource, { project, scope, span }: ExportRequest): AsyncGenerator<string> {
  const { count, streams } = await summarise(source.log, scope, span);
  const head: ExportHead = { format: EXPORT_FORMAT, project, scope, span, count, streams, checkpoint: source.checkpoint.note };
  const text = textToSign(head);
  const signed: SignedExportHead = { ...head, signature: source.signers.map((signer) => signer.signatureLine(text)).join('') };
  yield `${exportLine(signed)}\n`;
  for await (const page of pages(source.log, scope, span, PAGE)) {
    const paths = await source.tree.inclusions(
      page.map(({ n }) => n),
      source.checkpoint.size,
    );
    const texts = new HashTexts();
    yield page
      .map((event, at) => formatRow({ index: event.n, leaf: leafOf(event), path: (paths[at] ?? []).map((hash) => texts.textOf(hash)) }))
      .join('');
  }
}

/** Neighbouring events share most hashes of their paths as the same buffers. */
class HashTexts {
  readonly #known = new Map<Buffer, string>();

  textOf(hash: Buffer): string {
    const known = this.#known.get(hash) ?? hashToText(hash);
    this.#known.set(hash, known);
    return known;
  }
}

const formatRow = (row: ExportRow): string => `${exportLine(row)}\n`;

async function summarise(log: Pick<Log, 'read'>, scope: string, span: ExportHead['span']): Promise<Pick<ExportHead, 'count' | 'streams'>> {
  const streams = new Map<string, [first: number, last: number]>();
  let count = 0;
  for await (const page of pages(log, scope, span, SUMMARY_PAGE)) {
    count += page.length;
    for (const { stream, revision } of page) {
      const ends = streams.get(stream);
      if (ends === undefined) streams.set(stream, [revision, revision]);
      else ends[1] = revision;
    }
  }
  return { count, streams: Object.fromEntries(streams) };
}

async function* pages(log: Pick<Log, 'read'>, scope: string, span: ExportHead['span'], limit: number): ReturnType<Log['follow']> {
  let after = span.after;
  while (after < span.until) {
    const page = await log.read({ after, until: span.until, scope, limit });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.n;
  }
}
