import type pg from 'pg';
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

/** What the signed head states of the lines, so that none of them can be left out. */
export type ExportExtents = Pick<ExportHead, 'count' | 'streams'>;

export interface ExportSource {
  readonly log: Pick<Log, 'read'>;
  readonly extents: (scope: string, span: ExportHead['span']) => Promise<ExportExtents>;
  readonly tree: TileTree;
  readonly signers: readonly Signer[];
  /** A signed note and its size, which covers the whole span. */
  readonly checkpoint: { readonly note: string; readonly size: number };
}

/** Bounds the memory: each event of a page may need tiles of its own. */
const PAGE = 64;

/** Writes all events of a scope and span in chunks of whole lines, page by page. The signed head before them states their number and the ends of their streams. */
export async function* writeExport(source: ExportSource, { project, scope, span }: ExportRequest): AsyncGenerator<string> {
  const { count, streams } = await source.extents(scope, span);
  const head: ExportHead = { format: EXPORT_FORMAT, project, scope, span, count, streams, checkpoint: source.checkpoint.note };
  const text = textToSign(head);
  const signed: SignedExportHead = { ...head, signature: source.signers.map((signer) => signer.signatureLine(text)).join('') };
  yield `${exportLine(signed)}\n`;
  for await (const page of pages(source.log, scope, span)) {
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

/** Counted in the database: no event is read before the first byte. */
export const extentsIn =
  (pool: pg.Pool): ExportSource['extents'] =>
  async (scope, { after, until }) => {
    const { rows } = await pool.query<{ stream: string; first: number; last: number; count: string }>({
      name: 'export-extents',
      text: `SELECT stream, min(revision)::int AS first, max(revision)::int AS last, count(*) FROM log
             WHERE (scope, n) > ($1, $2) AND (scope, n) <= ($1, $3) GROUP BY stream ORDER BY min(n)`,
      values: [scope, after, until],
    });
    return {
      count: rows.reduce((sum, { count }) => sum + Number(count), 0),
      streams: Object.fromEntries(rows.map(({ stream, first, last }) => [stream, [first, last] as const])),
    };
  };

async function* pages(log: Pick<Log, 'read'>, scope: string, span: ExportHead['span']): ReturnType<Log['follow']> {
  let after = span.after;
  while (after < span.until) {
    const page = await log.read({ after, until: span.until, scope, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.n;
  }
}
