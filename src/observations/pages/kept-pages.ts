import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type pg from 'pg';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
/** Pages are kept once an hour each; a higher quality would cost more time than the disk is worth. */
const QUALITY = 5;

export const pageHash = (page: Uint8Array): string => createHash('sha256').update(page).digest('hex');

/** Of those that are looked through. */
const AT_ONCE = 20;

async function pageNamed(sha256: string, packed: Buffer): Promise<Buffer | null> {
  const page = await decompress(packed).catch(() => null);
  return page !== null && pageHash(page) === sha256 ? page : null;
}

/** The pages behind verdicts, by their SHA-256: a page that many runs saw is kept once. */
export class KeptPages {
  constructor(private readonly db: Pick<pg.Pool, 'query'>) {}

  /** Answers the page's hash. */
  async keep(page: Uint8Array): Promise<string> {
    const sha256 = pageHash(page);
    const { rowCount } = await this.db.query('UPDATE kept_page SET kept_at = clock_timestamp() WHERE sha256 = $1', [
      Buffer.from(sha256, 'hex'),
    ]);
    if (rowCount !== 0) return sha256;
    const packed = await compress(page, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
    await this.db.query(
      `INSERT INTO kept_page (sha256, size, packed) VALUES ($1, $2, $3) ON CONFLICT (sha256) DO UPDATE SET kept_at = clock_timestamp()`,
      [Buffer.from(sha256, 'hex'), page.length, packed],
    );
    return sha256;
  }

  /** Null when it was never kept, or is no longer; also when what is kept under this name is another page, which is evidence of nothing. */
  async read(sha256: string): Promise<Buffer | null> {
    const { rows } = await this.db.query<{ packed: Buffer }>('SELECT packed FROM kept_page WHERE sha256 = $1', [
      Buffer.from(sha256, 'hex'),
    ]);
    return rows[0] === undefined ? null : pageNamed(sha256, rows[0].packed);
  }

  /** Looks at each of them: how many there are, and the first that is not the page that its name says. */
  async verify(): Promise<{ readonly pages: number; readonly wrong: string | null }> {
    const text = 'SELECT sha256, packed FROM kept_page WHERE sha256 > $1 ORDER BY sha256 LIMIT $2';
    let last: Uint8Array = Buffer.alloc(0);
    for (let pages = 0; ;) {
      const { rows } = await this.db.query<{ sha256: Buffer; packed: Buffer }>(text, [last, AT_ONCE]);
      for (const row of rows) {
        last = row.sha256;
        pages++;
        const name = row.sha256.toString('hex');
        if ((await pageNamed(name, row.packed)) === null) return { pages, wrong: name };
      }
      if (rows.length < AT_ONCE) return { pages, wrong: null };
    }
  }

  /** Lets go of what is past the retention, and of the oldest beyond the budget; not of what is seen again meanwhile. Answers how many pages went. */
  async trim(budgetBytes: number, retentionDays: number): Promise<number> {
    const { rowCount } = await this.db.query(
      `DELETE FROM kept_page USING (
         SELECT sha256, kept_at, sum(octet_length(packed)) OVER (ORDER BY kept_at DESC, sha256) AS up_to_here FROM kept_page
       ) AS pages
       WHERE kept_page.sha256 = pages.sha256 AND kept_page.kept_at = pages.kept_at
         AND (up_to_here > $1 OR pages.kept_at < clock_timestamp() - $2 * interval '1 day')`,
      [budgetBytes, retentionDays],
    );
    return rowCount ?? 0;
  }
}
