import { createHash, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type pg from 'pg';
import { LEVEL } from './fair-share.ts';
import type { PageBodies } from './page-bodies.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
/** Pages are kept at most hourly; a higher quality costs more CPU time than the disk space is worth. */
const QUALITY = 5;

export const pageHash = (page: Uint8Array): string => createHash('sha256').update(page).digest('hex');

/** A page that was kept so recently is not written again: sites that answer the same page would queue for the lock of its row. */
const FRESH_MINUTES = 10;
/** Longer than an object takes to be written. */
const ORPHAN_MS = 3_600_000;
const ORPHANS_AT_ONCE = 1_000;

/** In the database, or in an object of that name. */
interface StoredBody {
  readonly packed: Buffer | null;
  readonly body: string | null;
}

/** Rows per query of `verify`. */
const VERIFY_PAGE = 20;

async function verifiedPage(sha256: string, packed: Buffer): Promise<Buffer | null> {
  const page = await decompress(packed).catch(() => null);
  return page !== null && pageHash(page) === sha256 ? page : null;
}

/** Content-addressed storage of the pages behind verdicts: keyed by SHA-256, so that a page of many runs is stored once. */
export class KeptPages {
  /** `bodies`: where new ones are kept; null: in the database. */
  constructor(
    private readonly db: Pick<pg.Pool, 'query'>,
    private readonly bodies: PageBodies | null = null,
    private readonly orphanMs = ORPHAN_MS,
  ) {}

  /** Returns the page's hash. */
  async keep(page: Uint8Array): Promise<string> {
    const sha256 = pageHash(page);
    const name = Buffer.from(sha256, 'hex');
    const { rows } = await this.db.query<{ fresh: boolean }>(
      "SELECT kept_at > clock_timestamp() - $2 * interval '1 minute' AS fresh FROM kept_page WHERE sha256 = $1",
      [name, FRESH_MINUTES],
    );
    if (rows[0]?.fresh === true) return sha256;
    const { rowCount } = await this.db.query('UPDATE kept_page SET kept_at = clock_timestamp() WHERE sha256 = $1', [name]);
    if (rowCount !== 0) return sha256;
    const packed = await compress(page, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
    if (this.bodies === null)
      await this.db.query(
        `INSERT INTO kept_page (sha256, size, packed) VALUES ($1, $2, $3) ON CONFLICT (sha256) DO UPDATE SET kept_at = clock_timestamp()`,
        [name, page.length, packed],
      );
    else await this.keepOutside(this.bodies, sha256, page.length, packed);
    return sha256;
  }

  /** Null when it was never kept, has been trimmed, or does not match its hash. */
  async read(sha256: string): Promise<Buffer | null> {
    const { rows } = await this.db.query<StoredBody>('SELECT packed, body FROM kept_page WHERE sha256 = $1', [Buffer.from(sha256, 'hex')]);
    return rows[0] === undefined ? null : this.verified(sha256, rows[0]);
  }

  /** Checks every page against its hash; `wrong` is the first hash that does not match. */
  async verify(): Promise<{ readonly pages: number; readonly wrong: string | null }> {
    const text = 'SELECT sha256, packed, body FROM kept_page WHERE sha256 > $1 ORDER BY sha256 LIMIT $2';
    let last: Uint8Array = Buffer.alloc(0);
    for (let pages = 0; ;) {
      const { rows } = await this.db.query<StoredBody & { sha256: Buffer }>(text, [last, VERIFY_PAGE]);
      for (const row of rows) {
        last = row.sha256;
        pages++;
        const name = row.sha256.toString('hex');
        if ((await this.verified(name, row)) === null) return { pages, wrong: name };
      }
      if (rows.length < VERIFY_PAGE) return { pages, wrong: null };
    }
  }

  /**
   * Deletes pages past the retention, then beyond the budget the oldest of the projects that use the most (see `LEVEL`), but none that was kept again in the
   * meantime; `evicted` counts those beyond the budget alone. A page of several projects stays while one of them has room for it; one without a project (its head was
   * trimmed, or is not stored yet) competes with its like.
   */
  async trim(budgetBytes: number, retentionDays: number): Promise<{ readonly deleted: number; readonly evicted: number }> {
    const { rows } = await this.db.query<{ deleted: number; evicted: number }>(
      `WITH holder AS (
         SELECT page, project_id FROM kept_answer LEFT JOIN latest_run USING (check_id)
         UNION SELECT page, project_id FROM kept_exchange WHERE page IS NOT NULL
       ), owned AS (
         SELECT DISTINCT page.sha256, page.kept_at, coalesce(page.stored, octet_length(page.packed)) AS bytes, coalesce(holder.project_id, ''::bytea) AS project
         FROM kept_page AS page LEFT JOIN holder ON holder.page = page.sha256
       ), used AS (SELECT project, sum(bytes) AS bytes FROM owned GROUP BY project
       ), ranked AS (SELECT sha256, kept_at, sum(bytes) OVER (PARTITION BY project ORDER BY kept_at DESC, sha256) AS up_to_here FROM owned
       ), pages AS (SELECT sha256, kept_at, min(up_to_here) AS up_to_here FROM ranked GROUP BY sha256, kept_at
       ), trimmed AS (DELETE FROM kept_page USING pages
       WHERE kept_page.sha256 = pages.sha256 AND kept_page.kept_at = pages.kept_at
         AND (up_to_here > (${LEVEL}) OR pages.kept_at < clock_timestamp() - $2 * interval '1 day')
         RETURNING pages.kept_at >= clock_timestamp() - $2 * interval '1 day' AS evicted, kept_page.body
       ), left_behind AS (INSERT INTO page_body_orphan (name) SELECT body FROM trimmed WHERE body IS NOT NULL ON CONFLICT DO NOTHING
       ) SELECT count(*)::int AS deleted, (count(*) FILTER (WHERE evicted))::int AS evicted FROM trimmed`,
      [budgetBytes, retentionDays],
    );
    return rows[0] ?? { deleted: 0, evicted: 0 };
  }

  /** Deletes objects that no page names any more, or whose writer died; returns how many. */
  async deleteOrphans(): Promise<number> {
    if (this.bodies === null) return 0;
    const { rows } = await this.db.query<{ name: string }>(
      `SELECT name FROM page_body_orphan WHERE since < clock_timestamp() - $1 * interval '1 millisecond' ORDER BY since LIMIT $2`,
      [this.orphanMs, ORPHANS_AT_ONCE],
    );
    for (const { name } of rows) {
      await this.bodies.delete(name);
      await this.db.query('DELETE FROM page_body_orphan WHERE name = $1', [name]);
    }
    return rows.length;
  }

  /**
   * The object gets a name of its own beside the hash, so that whoever deletes one never deletes another that was written in the meantime. It counts as an
   * orphan until the row names it: a process that dies in between leaves nothing for ever.
   */
  private async keepOutside(bodies: PageBodies, sha256: string, size: number, packed: Buffer): Promise<void> {
    const name = `${sha256.slice(0, 2)}/${sha256}-${randomBytes(4).toString('hex')}`;
    await this.db.query('INSERT INTO page_body_orphan (name) VALUES ($1)', [name]);
    await bodies.put(name, packed);
    await this.db.query(
      `WITH page AS (
         INSERT INTO kept_page (sha256, size, body, stored) VALUES ($1, $2, $3, $4) ON CONFLICT (sha256) DO UPDATE SET kept_at = clock_timestamp() RETURNING body
       ) DELETE FROM page_body_orphan USING page WHERE name = $3 AND page.body = $3`,
      [Buffer.from(sha256, 'hex'), size, name, packed.length],
    );
  }

  private async verified(sha256: string, { packed, body }: StoredBody): Promise<Buffer | null> {
    const bytes = packed ?? (body === null ? null : ((await this.bodies?.get(body)) ?? null));
    return bytes === null ? null : verifiedPage(sha256, bytes);
  }
}
