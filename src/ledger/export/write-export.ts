import type { Log } from '../../log/log.ts';
import type { Signer } from '../signer.ts';
import { EXPORT_FORMAT, textToSign, type ExportHead, type ExportRow, type SignedExportHead } from '../verify/export-head.ts';
import { hashToText } from '../verify/hash-text.ts';
import { leafOf } from '../verify/leaf.ts';
import type { TileTree } from '../verify/tile-tree.ts';

export interface ExportRequest {
  readonly project: string;
  readonly scope: string;
  readonly span: ExportHead['span'];
}

export interface ExportSource {
  readonly log: Pick<Log, 'read'>;
  readonly tree: TileTree;
  readonly signers: readonly Signer[];
  /** The signed note, and the size in it; covers the whole span. */
  readonly checkpoint: { readonly note: string; readonly size: number };
}

/** Each event of a page may stand under a tile of its own, so a page is what bounds the memory. */
const PAGE = 256;
const SUMMARY_PAGE = 2000;

/**
 * An export of everything in a scope and span, in chunks of whole lines. The head promises how much comes, so the events are read
 * twice; both times page by page, and never more than one page is held.
 */
export async function* writeExport(source: ExportSource, { project, scope, span }: ExportRequest): AsyncGenerator<string> {
  const { count, streams } = await summarise(source.log, scope, span);
  const head: ExportHead = { format: EXPORT_FORMAT, project, scope, span, count, streams, checkpoint: source.checkpoint.note };
  const text = textToSign(head);
  const signed: SignedExportHead = { ...head, signature: source.signers.map((signer) => signer.signatureLine(text)).join('') };
  yield `${JSON.stringify(signed)}\n`;
  for await (const page of pages(source.log, scope, span, PAGE)) {
    const paths = await source.tree.inclusions(
      page.map(({ n }) => n),
      source.checkpoint.size,
    );
    const texts = new HashTexts();
    yield page
      .map((event, at) => formatRow({ index: event.n, leaf: leafOf(event), path: (paths[at] ?? []).map((hash) => texts.of(hash)) }))
      .join('');
  }
}

/** Neighbouring events share most of their paths, down to the same buffers. */
class HashTexts {
  readonly #known = new Map<Buffer, string>();

  of(hash: Buffer): string {
    const known = this.#known.get(hash) ?? hashToText(hash);
    this.#known.set(hash, known);
    return known;
  }
}

const formatRow = ({ index, leaf, path }: ExportRow): string => `${JSON.stringify({ index, leaf, path })}\n`;

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
