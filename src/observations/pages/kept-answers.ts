import type pg from 'pg';
import { squeeze, unsqueeze } from '../codec/squeeze.ts';
import { idBytes } from '../packs/pack-kind.ts';
import { KeptPages } from './kept-pages.ts';

/** What stood around a page: all that a rule may look at beside the body. */
export interface AnswerHead {
  readonly url: string;
  readonly httpVersion: string;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly redirectedBy: { readonly location: string; readonly to: string } | null;
  readonly cut: boolean;
}

export interface KeptHead {
  readonly at: number;
  /** SHA-256 of the page that it came with. */
  readonly page: string;
  readonly head: AnswerHead;
}

interface HeadRow {
  readonly at: string;
  readonly page: Buffer;
  readonly head: Buffer;
}

/** The answers behind verdicts: the page once for all who saw it, its head with the run. */
export class KeptAnswers {
  private readonly pages: KeptPages;

  constructor(private readonly db: Pick<pg.Pool, 'query'>) {
    this.pages = new KeptPages(db);
  }

  async keep(checkId: string, at: number, { body, ...head }: AnswerHead & { readonly body: Uint8Array }): Promise<void> {
    const page = await this.pages.keep(body);
    const { url, httpVersion, statusText, headers, redirectedBy, cut } = head;
    const packed = squeeze(Buffer.from(JSON.stringify({ url, httpVersion, statusText, headers, redirectedBy, cut }), 'utf8'), 9);
    await this.db.query('INSERT INTO kept_answer (check_id, at, page, head) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING', [
      idBytes(checkId),
      at,
      Buffer.from(page, 'hex'),
      packed,
    ]);
  }

  /** Null when it was never kept, or is no longer. */
  page(sha256: string): Promise<Buffer | null> {
    return this.pages.read(sha256);
  }

  /** From `from` up to, not including, `to`, in order. */
  async heads(checkId: string, from: number, to: number): Promise<readonly KeptHead[]> {
    const text = 'SELECT at, page, head FROM kept_answer WHERE check_id = $1 AND at >= $2 AND at < $3 ORDER BY at';
    const { rows } = await this.db.query<HeadRow>({ name: 'kept_heads', text, values: [idBytes(checkId), from, to] });
    return rows.map(({ at, page, head }) => ({
      at: Number(at),
      page: page.toString('hex'),
      head: JSON.parse(Buffer.from(unsqueeze(head)).toString('utf8')) as AnswerHead,
    }));
  }

  /** Lets go of what is past the retention, and of the oldest beyond the budget. Answers how many heads went. */
  async trim(budgetBytes: number, oldest: number): Promise<number> {
    const { rowCount } = await this.db.query(
      `DELETE FROM kept_answer WHERE at < greatest($2::bigint, (
         SELECT at FROM (SELECT at, sum(octet_length(head)) OVER (ORDER BY at DESC, check_id) AS up_to_here FROM kept_answer) AS heads
         WHERE up_to_here > $1 ORDER BY at DESC LIMIT 1
       ) + 1)`,
      [budgetBytes, oldest],
    );
    return rowCount ?? 0;
  }
}
