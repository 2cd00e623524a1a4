import { createHash } from 'node:crypto';
import { deflatePack, inflatePack } from '../codec/bytes.ts';
import { idBytes } from '../packs/pack-kind.ts';
import { LEVEL, trimEach } from '../pages/page-budget.ts';
import type { PageBodies } from '../pages/page-bodies.ts';
import { KeptPages } from '../pages/kept-pages.ts';
import { type ObservationDb, type ObservationSchema, perSchema, schemasOf } from '../schemas.ts';
import { GATHER_MS, WriteBehind } from '../write-behind.ts';
import type { Exchange } from './exchange.ts';

export const exchangeHash = (json: string): string => createHash('sha256').update(json).digest('hex');

/** An exchange as its hash is of it. */
export interface PackedExchange {
  /** SHA-256 of `json`, lower-case hex. */
  readonly sha256: string;
  /** Canonical JSON (RFC 8785). */
  readonly json: string;
}

export interface NewExchange {
  readonly projectId: string;
  readonly at: number;
  readonly packed: PackedExchange;
  /** The page to keep with it; when null, its hash alone is kept, as part of the exchange. */
  readonly body: Uint8Array | null;
  /** When false, it is gathered, so that many share a statement. */
  readonly urgent?: boolean;
}

interface NewRow {
  readonly projectId: string;
  readonly sha256: string;
  readonly at: number;
  readonly page: string | null;
  readonly packed: Buffer;
}

export interface KeptExchange {
  readonly exchange: Exchange;
  readonly json: string;
  /** SHA-256 of the page that was kept with it; null without one. */
  readonly page: string | null;
}

interface Row {
  readonly page: Buffer | null;
  readonly packed: Buffer;
}

export interface VerifiedExchanges {
  readonly exchanges: number;
  readonly wrong: { readonly project: string; readonly sha256: string } | null;
}

const VERIFY_ROWS = 200;

/** Null when it does not match its hash. */
function keptIn({ page, packed }: Row, sha256: string): KeptExchange | null {
  const json = Buffer.from(inflatePack(packed)).toString('utf8');
  if (exchangeHash(json) !== sha256) return null;
  // Written by `keep` only, and unchanged.
  return { exchange: JSON.parse(json) as Exchange, json, page: page?.toString('hex') ?? null };
}

function isIntact(row: Row, sha256: string): boolean {
  try {
    const kept = keptIn(row, sha256);
    return kept !== null && (kept.page === null || kept.page === kept.exchange.answer?.page);
  } catch {
    // It cannot be unpacked.
    return false;
  }
}

/** The exchanges that events rest on: content-addressed, by the hash in the event. */
export class ExchangeStore {
  private readonly pages: KeptPages;
  private readonly inserts = perSchema(
    (schema) =>
      new WriteBehind((rows: readonly NewRow[]) => this.insert(schema, rows), {
        flushMs: GATHER_MS,
        bytesOf: ({ packed }) => packed.length,
      }),
  );

  constructor(
    private readonly db: ObservationDb,
    bodies: PageBodies | null = null,
  ) {
    this.pages = new KeptPages(db, bodies);
  }

  async keep({ projectId, at, packed: { sha256, json }, body, urgent = true }: NewExchange): Promise<void> {
    const page = body === null ? null : await this.pages.keep(projectId, body, urgent);
    const packed = deflatePack(Buffer.from(json, 'utf8'), 9);
    await this.inserts(schemasOf(this.db).ofProject(projectId)).add({ projectId, sha256, at, page, packed }, urgent);
  }

  /** In one order, so that two processes cannot deadlock. */
  private async insert(schema: ObservationSchema, rows: readonly NewRow[]): Promise<readonly void[]> {
    await this.db.query({
      name: schema.statement('keep_exchanges'),
      text: `
        INSERT INTO ${schema.table('kept_exchange')} (project_id, sha256, at, page, packed)
        SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bytea[], $5::bytea[]) AS exchange (project_id, sha256, at, page, packed)
        ORDER BY project_id, sha256
        ON CONFLICT DO NOTHING`,
      values: [
        rows.map(({ projectId }) => idBytes(projectId)),
        rows.map(({ sha256 }) => Buffer.from(sha256, 'hex')),
        rows.map(({ at }) => at),
        rows.map(({ page }) => (page === null ? null : Buffer.from(page, 'hex'))),
        rows.map(({ packed }) => packed),
      ],
    });
    return rows.map(() => undefined);
  }

  /** Null when it was never kept, has been trimmed, or does not match its hash. */
  async read(projectId: string, sha256: string): Promise<KeptExchange | null> {
    const schema = schemasOf(this.db).ofProject(projectId);
    const text = `SELECT page, packed FROM ${schema.table('kept_exchange')} WHERE project_id = $1 AND sha256 = $2`;
    const values = [idBytes(projectId), Buffer.from(sha256, 'hex')];
    const { rows } = await this.db.query<Row>({ name: schema.statement('kept_exchange'), text, values });
    const [row] = rows;
    return row === undefined ? null : keptIn(row, sha256);
  }

  /** Compares each exchange with the hash that events name it by, and its page with the one that it names; stops at the first that differs. */
  async verify(): Promise<VerifiedExchanges> {
    let exchanges = 0;
    for (const schema of schemasOf(this.db).all) {
      const verified = await this.verifyIn(schema);
      exchanges += verified.exchanges;
      if (verified.wrong !== null) return { exchanges, wrong: verified.wrong };
    }
    return { exchanges, wrong: null };
  }

  private async verifyIn(schema: ObservationSchema): Promise<VerifiedExchanges> {
    const text = `SELECT project_id AS project, sha256, page, packed FROM ${schema.table('kept_exchange')} WHERE (project_id, sha256) > ($1, $2)
      ORDER BY project_id, sha256 LIMIT $3`;
    let last: readonly Uint8Array[] = [Buffer.alloc(0), Buffer.alloc(0)];
    for (let exchanges = 0; ;) {
      const { rows } = await this.db.query<Row & { project: Buffer; sha256: Buffer }>(text, [...last, VERIFY_ROWS]);
      for (const row of rows) {
        last = [row.project, row.sha256];
        exchanges++;
        const [project, sha256] = [row.project.toString('hex'), row.sha256.toString('hex')];
        if (!isIntact(row, sha256)) return { exchanges, wrong: { project, sha256 } };
      }
      if (rows.length < VERIFY_ROWS) return { exchanges, wrong: null };
    }
  }

  /** Deletes exchanges past the retention, then beyond the budget the oldest of the projects that use the most (see `LEVEL`); returns how many. */
  trim(budgetBytes: number, oldest: number): Promise<number> {
    return trimEach(this.db, budgetBytes, (schema, bytes) => this.trimIn(schema, bytes, oldest));
  }

  private async trimIn(schema: ObservationSchema, budgetBytes: number, oldest: number): Promise<number> {
    const { rowCount } = await this.db.query(
      `WITH owned AS (SELECT project_id AS project, sha256, at, octet_length(packed) AS bytes FROM ${schema.table('kept_exchange')}
       ), used AS (SELECT project, sum(bytes) AS bytes FROM owned GROUP BY project
       ), ranked AS (SELECT project, sha256, at, sum(bytes) OVER (PARTITION BY project ORDER BY at DESC, sha256) AS up_to_here FROM owned)
       DELETE FROM ${schema.table('kept_exchange')} AS kept USING ranked
       WHERE kept.project_id = ranked.project AND kept.sha256 = ranked.sha256
         AND (up_to_here > (${LEVEL}) OR ranked.at < $2)`,
      [budgetBytes, oldest],
    );
    return rowCount ?? 0;
  }
}
