import { deflatePack, inflatePack } from '../codec/bytes.ts';
import { idBytes } from '../packs/pack-kind.ts';
import { HOUR_MS } from '../../../kernel/time.ts';
import type { CheckOfRun } from '../runs/run-store.ts';
import { type ObservationDb, type ObservationSchema, perSchema, schemasOf } from '../schemas.ts';
import { GATHER_MS, WriteBehind } from '../write-behind.ts';
import { LEVEL, trimEach } from './page-budget.ts';
import type { PageBodies } from './page-bodies.ts';
import { KeptPages } from './kept-pages.ts';

/** The parts of an answer that rules may read besides the body. */
export interface AnswerHead {
  readonly url: string;
  readonly httpVersion: string;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly redirectedBy: { readonly location: string; readonly to: string } | null;
  readonly cut: boolean;
  /** How many redirects were followed; missing in heads that were stored without it, as is the next. */
  readonly redirects?: number;
  /** The method of the request; GET where it is missing. */
  readonly method?: string;
  /** Null without TLS. */
  readonly certificate?: KeptCertificate | null;
}

/** The facts of a certificate that rules read. */
interface KeptCertificate {
  readonly issuer: string;
  readonly names: readonly string[];
  /** ISO 8601. */
  readonly validTo: string;
  readonly key: string;
}

export interface KeptHead {
  readonly at: number;
  /** SHA-256 of its body. */
  readonly page: string;
  readonly head: AnswerHead;
}

interface NewHead {
  readonly checkId: string;
  readonly at: number;
  readonly page: string;
  readonly packed: Buffer;
  readonly passed: boolean;
}

interface HeadRow {
  readonly at: string;
  readonly page: Buffer;
  readonly head: Buffer;
}

const keptHead = ({ at, page, head }: HeadRow): KeptHead => ({
  at: Number(at),
  page: page.toString('hex'),
  head: JSON.parse(Buffer.from(inflatePack(head)).toString('utf8')) as AnswerHead,
});

/** The answers behind verdicts: bodies in content-addressed storage (`KeptPages`), heads by check and time. */
export class KeptAnswers {
  private readonly pages: KeptPages;
  private readonly inserts = perSchema(
    (schema) =>
      new WriteBehind((heads: readonly NewHead[]) => this.insert(schema, heads), {
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

  /** `passed`: whether the run did. Answers that are not urgent are gathered, so that many share a statement. */
  async keep(
    { projectId, checkId }: CheckOfRun,
    at: number,
    { body, ...head }: AnswerHead & { readonly body: Uint8Array },
    passed: boolean,
    urgent = true,
  ): Promise<void> {
    const page = await this.pages.keep(projectId, body, urgent);
    const { url, httpVersion, statusText, headers, redirectedBy, cut, redirects, certificate, method } = head;
    const stored = { url, httpVersion, statusText, headers, redirectedBy, cut, redirects, certificate, method };
    const packed = deflatePack(Buffer.from(JSON.stringify(stored), 'utf8'), 9);
    await this.inserts(schemasOf(this.db).ofProject(projectId)).add({ checkId, at, page, packed, passed }, urgent);
  }

  /** In one order, so that two processes cannot deadlock. */
  private async insert(schema: ObservationSchema, heads: readonly NewHead[]): Promise<readonly void[]> {
    await this.db.query({
      name: schema.statement('keep_answers'),
      text: `
        INSERT INTO ${schema.table('kept_answer')} (check_id, at, page, head, passed)
        SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::bytea[], $5::boolean[]) AS answer (check_id, at, page, head, passed)
        ORDER BY check_id, at
        ON CONFLICT DO NOTHING`,
      values: [
        heads.map(({ checkId }) => idBytes(checkId)),
        heads.map(({ at }) => at),
        heads.map(({ page }) => Buffer.from(page, 'hex')),
        heads.map(({ packed }) => packed),
        heads.map(({ passed }) => passed),
      ],
    });
    return heads.map(() => undefined);
  }

  /** Null when it was never kept or has been trimmed. */
  page(projectId: string, sha256: string): Promise<Buffer | null> {
    return this.pages.read(projectId, sha256);
  }

  /** The last answer before an instant that passed and whose page is still kept; null without one. */
  async lastPassing({ projectId, checkId }: CheckOfRun, before: number): Promise<KeptHead | null> {
    const schema = schemasOf(this.db).ofProject(projectId);
    const text = `SELECT at, page, head FROM ${schema.table('kept_answer')} JOIN ${schema.table('kept_page')} AS kept ON kept.sha256 = page
      WHERE check_id = $1 AND at < $2 AND passed ORDER BY at DESC LIMIT 1`;
    const { rows } = await this.db.query<HeadRow>({ name: schema.statement('last_passing'), text, values: [idBytes(checkId), before] });
    return rows.map(keptHead)[0] ?? null;
  }

  /** From `from`, up to but excluding `to`, in order. */
  async heads({ projectId, checkId }: CheckOfRun, from: number, to: number): Promise<readonly KeptHead[]> {
    const schema = schemasOf(this.db).ofProject(projectId);
    const text = `SELECT at, page, head FROM ${schema.table('kept_answer')} WHERE check_id = $1 AND at >= $2 AND at < $3 ORDER BY at`;
    const { rows } = await this.db.query<HeadRow>({ name: schema.statement('kept_heads'), text, values: [idBytes(checkId), from, to] });
    return rows.map(keptHead);
  }

  /** Deletes heads past the retention, then beyond the budget the oldest of the projects that use the most (see `LEVEL`); returns how many were deleted. */
  trim(budgetBytes: number, oldest: number): Promise<number> {
    return trimEach(this.db, budgetBytes, (schema, bytes) => this.trimIn(schema, bytes, oldest));
  }

  private async trimIn(schema: ObservationSchema, budgetBytes: number, oldest: number): Promise<number> {
    const { rowCount } = await this.db.query(
      `WITH owned AS (
         SELECT check_id, answer.at, octet_length(head) AS bytes, coalesce(run.project_id, ''::bytea) AS project
         FROM ${schema.table('kept_answer')} AS answer LEFT JOIN ${schema.table('latest_run')} AS run USING (check_id)
       ), used AS (SELECT project, sum(bytes) AS bytes FROM owned GROUP BY project
       ), heads AS (SELECT check_id, at, sum(bytes) OVER (PARTITION BY project ORDER BY at DESC, check_id) AS up_to_here FROM owned)
       DELETE FROM ${schema.table('kept_answer')} AS answer USING heads
       WHERE answer.check_id = heads.check_id AND answer.at = heads.at AND (up_to_here > (${LEVEL}) OR heads.at < $2)`,
      [budgetBytes, oldest],
    );
    return rowCount ?? 0;
  }
}

/** Throttles the keeping of answers: one per check at every change of its verdict, and at most one per hour otherwise. */
export class KeepThrottle {
  /** In insertion order, oldest first, so that expired entries of deleted checks are evicted from the front. */
  private readonly keptAt = new Map<string, number>();

  isDue(checkId: string, at: number, verdictChanged: boolean): boolean {
    const last = this.keptAt.get(checkId);
    if (!verdictChanged && last !== undefined && at - last < HOUR_MS) return false;
    this.keptAt.delete(checkId);
    this.keptAt.set(checkId, at);
    for (const [other, keptAt] of this.keptAt) {
      if (at - keptAt < HOUR_MS) break;
      this.keptAt.delete(other);
    }
    return true;
  }

  get size(): number {
    return this.keptAt.size;
  }
}
