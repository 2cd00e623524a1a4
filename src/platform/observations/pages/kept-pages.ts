import { createHash, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { type ObservationDb, type ObservationSchema, perSchema, schemasOf } from '../schemas.ts';
import { GATHER_MS, WriteBehind } from '../write-behind.ts';
import { LEVEL } from './page-budget.ts';
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

interface NewBody {
  /** The hash of the uncompressed page. */
  readonly sha256: string;
  readonly size: number;
  readonly packed: Buffer;
}

interface TrimmedPages {
  readonly deleted: number;
  readonly evicted: number;
}

/** Rows per query of `verify`. */
const VERIFY_PAGE = 20;

async function verifiedPage(sha256: string, packed: Buffer): Promise<Buffer | null> {
  const page = await decompress(packed).catch(() => null);
  return page !== null && pageHash(page) === sha256 ? page : null;
}

/** Content-addressed storage of the pages behind verdicts: keyed by SHA-256, so that a page of many runs is stored once in each schema. */
export class KeptPages {
  private readonly lookups = perSchema(
    (schema) => new WriteBehind((names: readonly string[]) => this.touch(schema, names), { flushMs: GATHER_MS }),
  );
  private readonly inserts = perSchema(
    (schema) =>
      new WriteBehind((bodies: readonly NewBody[]) => this.insert(schema, bodies), {
        flushMs: GATHER_MS,
        bytesOf: ({ packed }) => packed.length,
      }),
  );

  /** `bodies`: where new ones are kept; null for the database. */
  constructor(
    private readonly db: ObservationDb,
    private readonly bodies: PageBodies | null = null,
    private readonly orphanMs = ORPHAN_MS,
  ) {}

  /** Returns the page's hash. Pages that are not urgent are gathered, so that many share a statement. */
  async keep(projectId: string, page: Uint8Array, urgent = true): Promise<string> {
    const schema = schemasOf(this.db).ofProject(projectId);
    const sha256 = pageHash(page);
    if (await this.lookups(schema).add(sha256, urgent)) return sha256;
    const packed = await compress(page, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
    const body = { sha256, size: page.length, packed };
    // An object store that is slow delays this page alone.
    if (this.bodies === null) await this.inserts(schema).add(body, urgent);
    else await this.keepOutside(schema, this.bodies, body);
    return sha256;
  }

  /** Whether each page is kept already; from now on its age counts anew. Rows are locked in one order, so that two processes cannot deadlock. */
  private async touch(schema: ObservationSchema, names: readonly string[]): Promise<readonly boolean[]> {
    const table = schema.table('kept_page');
    const { rows } = await this.db.query<{ sha256: Buffer }>({
      name: schema.statement('touch_pages'),
      text: `
        WITH known AS (
          SELECT sha256, kept_at > clock_timestamp() - $2 * interval '1 minute' AS fresh FROM ${table} WHERE sha256 = ANY ($1::bytea[])
        ), aged AS (
          SELECT sha256 FROM ${table} WHERE sha256 IN (SELECT sha256 FROM known WHERE NOT fresh) ORDER BY sha256 FOR UPDATE
        ), touched AS (
          UPDATE ${table} AS page SET kept_at = statement_timestamp() FROM aged WHERE page.sha256 = aged.sha256 RETURNING page.sha256
        )
        SELECT sha256 FROM known WHERE fresh UNION ALL SELECT sha256 FROM touched`,
      values: [[...new Set(names)].map((name) => Buffer.from(name, 'hex')), FRESH_MINUTES],
    });
    const kept = new Set(rows.map(({ sha256 }) => sha256.toString('hex')));
    return names.map((name) => kept.has(name));
  }

  private async insert(schema: ObservationSchema, bodies: readonly NewBody[]): Promise<readonly void[]> {
    const distinct = [...new Map(bodies.map((body) => [body.sha256, body])).values()];
    await this.db.query({
      name: schema.statement('keep_pages'),
      text: `
        INSERT INTO ${schema.table('kept_page')} (sha256, size, packed)
        SELECT * FROM unnest($1::bytea[], $2::integer[], $3::bytea[]) AS page (sha256, size, packed) ORDER BY sha256
        ON CONFLICT (sha256) DO UPDATE SET kept_at = excluded.kept_at`,
      values: [
        distinct.map(({ sha256 }) => Buffer.from(sha256, 'hex')),
        distinct.map(({ size }) => size),
        distinct.map(({ packed }) => packed),
      ],
    });
    return bodies.map(() => undefined);
  }

  /** Null when it was never kept, has been trimmed, or does not match its hash. */
  async read(projectId: string, sha256: string): Promise<Buffer | null> {
    const table = schemasOf(this.db).ofProject(projectId).table('kept_page');
    const { rows } = await this.db.query<StoredBody>(`SELECT packed, body FROM ${table} WHERE sha256 = $1`, [Buffer.from(sha256, 'hex')]);
    return rows[0] === undefined ? null : this.verified(sha256, rows[0]);
  }

  /** Checks every page against its hash; `wrong` is the first hash that does not match. */
  async verify(): Promise<{ readonly pages: number; readonly wrong: string | null }> {
    let pages = 0;
    for (const schema of schemasOf(this.db).all) {
      const verified = await this.verifyIn(schema);
      pages += verified.pages;
      if (verified.wrong !== null) return { pages, wrong: verified.wrong };
    }
    return { pages, wrong: null };
  }

  private async verifyIn(schema: ObservationSchema): Promise<{ readonly pages: number; readonly wrong: string | null }> {
    const text = `SELECT sha256, packed, body FROM ${schema.table('kept_page')} WHERE sha256 > $1 ORDER BY sha256 LIMIT $2`;
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
   * trimmed, or is not stored yet) competes with its like. Each schema, which holds as many projects as another, has its part of the budget.
   */
  async trim(budgetBytes: number, retentionDays: number): Promise<TrimmedPages> {
    const total = { deleted: 0, evicted: 0 };
    const { all } = schemasOf(this.db);
    for (const schema of all) {
      const { deleted, evicted } = await this.trimIn(schema, budgetBytes / all.length, retentionDays);
      total.deleted += deleted;
      total.evicted += evicted;
    }
    return total;
  }

  /** The locking part is no CTE: Citus 13.2 fails to read one back where a statement has two that write. */
  private async trimIn(schema: ObservationSchema, budgetBytes: number, retentionDays: number): Promise<TrimmedPages> {
    const { rows } = await this.db.query<{ deleted: number; evicted: number }>(
      `WITH holder AS (
         SELECT page, project_id FROM ${schema.table('kept_answer')} LEFT JOIN ${schema.table('latest_run')} USING (check_id)
         UNION SELECT page, project_id FROM ${schema.table('kept_exchange')} WHERE page IS NOT NULL
       ), owned AS (
         SELECT DISTINCT page.sha256, page.kept_at, coalesce(page.stored, octet_length(page.packed)) AS bytes, coalesce(holder.project_id, ''::bytea) AS project
         FROM ${schema.table('kept_page')} AS page LEFT JOIN holder ON holder.page = page.sha256
       ), used AS (SELECT project, sum(bytes) AS bytes FROM owned GROUP BY project
       ), ranked AS (SELECT sha256, kept_at, sum(bytes) OVER (PARTITION BY project ORDER BY kept_at DESC, sha256) AS up_to_here FROM owned
       ), pages AS (
         SELECT sha256, kept_at, min(up_to_here) AS up_to_here, kept_at < clock_timestamp() - $2 * interval '1 day' AS past FROM ranked GROUP BY sha256, kept_at
       ), trimmed AS (
         DELETE FROM ${schema.table('kept_page')} AS page USING (
           SELECT page.sha256, past FROM ${schema.table('kept_page')} AS page JOIN pages ON page.sha256 = pages.sha256 AND page.kept_at = pages.kept_at
           WHERE up_to_here > (${LEVEL}) OR past ORDER BY page.sha256 FOR UPDATE OF page
         ) AS locked WHERE page.sha256 = locked.sha256 RETURNING NOT past AS evicted, page.body
       ), left_behind AS (INSERT INTO ${schema.table('page_body_orphan')} (name) SELECT body FROM trimmed WHERE body IS NOT NULL ON CONFLICT DO NOTHING
       ) SELECT count(*)::int AS deleted, (count(*) FILTER (WHERE evicted))::int AS evicted FROM trimmed`,
      [budgetBytes, retentionDays],
    );
    return rows[0] ?? { deleted: 0, evicted: 0 };
  }

  /** Deletes objects that no page names any more, or whose writer died; returns how many. */
  async deleteOrphans(): Promise<number> {
    if (this.bodies === null) return 0;
    let deleted = 0;
    for (const schema of schemasOf(this.db).all) deleted += await this.deleteOrphansIn(schema, this.bodies);
    return deleted;
  }

  private async deleteOrphansIn(schema: ObservationSchema, bodies: PageBodies): Promise<number> {
    const table = schema.table('page_body_orphan');
    const { rows } = await this.db.query<{ name: string }>(
      `SELECT name FROM ${table} WHERE since < clock_timestamp() - $1 * interval '1 millisecond' ORDER BY since LIMIT $2`,
      [this.orphanMs, ORPHANS_AT_ONCE],
    );
    for (const { name } of rows) {
      if (!(await this.isNamed(name))) await bodies.delete(name);
      await this.db.query(`DELETE FROM ${table} WHERE name = $1`, [name]);
    }
    return rows.length;
  }

  /** In any schema: restored and moved rows of several share an object. */
  private async isNamed(name: string): Promise<boolean> {
    const sha256 = Buffer.from(name.slice(name.indexOf('/') + 1, name.lastIndexOf('-')), 'hex');
    for (const schema of schemasOf(this.db).all) {
      const { rowCount } = await this.db.query(`SELECT FROM ${schema.table('kept_page')} WHERE sha256 = $1 AND body = $2`, [sha256, name]);
      if (rowCount !== 0) return true;
    }
    return false;
  }

  /**
   * The object gets a name of its own beside the hash, so that the deletion of one never deletes another that was written in the meantime. It counts as an
   * orphan until the row names it: a process that dies in between leaves nothing for ever.
   */
  private async keepOutside(schema: ObservationSchema, bodies: PageBodies, { sha256, size, packed }: NewBody): Promise<void> {
    const orphans = schema.table('page_body_orphan');
    const name = `${sha256.slice(0, 2)}/${sha256}-${randomBytes(4).toString('hex')}`;
    await this.db.query(`INSERT INTO ${orphans} (name) VALUES ($1)`, [name]);
    await bodies.put(name, packed);
    await this.db.query(
      `WITH page AS (
         INSERT INTO ${schema.table('kept_page')} (sha256, size, body, stored) VALUES ($1, $2, $3, $4) ON CONFLICT (sha256) DO UPDATE SET kept_at = excluded.kept_at RETURNING body
       ) DELETE FROM ${orphans} USING page WHERE name = $3 AND page.body = $3`,
      [Buffer.from(sha256, 'hex'), size, name, packed.length],
    );
  }

  private async verified(sha256: string, { packed, body }: StoredBody): Promise<Buffer | null> {
    const bytes = packed ?? (body === null ? null : ((await this.bodies?.get(body)) ?? null));
    return bytes === null ? null : verifiedPage(sha256, bytes);
  }
}
