import type pg from 'pg';
import { type Fence, heldLeases } from '../fence.ts';
import { flushRows, type Observed } from './flush.codec.ts';
import type { PackKind } from './pack-kind.ts';

/** What was observed under one lease. */
export interface FencedBatch<Item> {
  readonly fence: Fence;
  readonly observed: readonly Observed<Item>[];
}

/** By the clock of the database: what lies further back would miss the closing of its day, what lies ahead was measured by a wrong clock. */
export interface AcceptanceWindow {
  readonly pastMs: number;
  readonly futureMs: number;
}

export const acceptanceWindow: AcceptanceWindow = { pastMs: 300_000, futureMs: 60_000 };

/** What else a flush writes in the same statement, where `(SELECT yes FROM allowed)` holds; its parameters begin at $11. */
export interface Alongside<Item> {
  readonly expressions: string;
  values(observed: readonly Observed<Item>[]): readonly unknown[];
}

/** Takes observations in, many projects at a time, and only from those that still hold the leases they name: lease and insert are one statement. */
export class PackWriter<Item extends { readonly at: number }> {
  private readonly statement: string;

  constructor(
    private readonly db: Pick<pg.Pool, 'query'>,
    private readonly kind: Pick<PackKind<Item>, 'name' | 'pack'>,
    private readonly window: AcceptanceWindow = acceptanceWindow,
    private readonly alongside: Alongside<Item> | null = null,
  ) {
    this.statement = `
      WITH held AS (${heldLeases('$1', '$2')}),
      allowed AS (
        SELECT (SELECT count(*) FROM held) = cardinality($1::text[])
           AND $3::bigint >= extract(epoch FROM clock_timestamp()) * 1000 - $5::bigint
           AND $4::bigint <= extract(epoch FROM clock_timestamp()) * 1000 + $6::bigint AS yes
      )${alongside === null ? '' : `, ${alongside.expressions}`}
      INSERT INTO ${kind.name}_flush (slot, first_at, last_at, packed)
      SELECT * FROM unnest($7::smallint[], $8::bigint[], $9::bigint[], $10::bytea[]) WHERE (SELECT yes FROM allowed)`;
  }

  /** The names of the leases whose observations were taken; of the others nothing was. */
  async accept(batches: readonly FencedBatch<Item>[]): Promise<ReadonlySet<string>> {
    const full = batches.filter(({ observed }) => observed.length > 0);
    if (full.length === 0) return new Set();
    if (await this.insert(full)) return new Set(full.map(({ fence }) => fence.name));
    // Rare: a lease was lost. The others must not lose their observations with it.
    const accepted = new Set<string>();
    if (full.length > 1) for (const batch of full) if (await this.insert([batch])) accepted.add(batch.fence.name);
    return accepted;
  }

  private async insert(batches: readonly FencedBatch<Item>[]): Promise<boolean> {
    const observed = batches.flatMap((batch) => batch.observed);
    const rows = flushRows(this.kind, observed);
    const { rowCount } = await this.db.query({
      name: `${this.kind.name}_accept`,
      text: this.statement,
      values: [
        batches.map(({ fence }) => fence.name),
        batches.map(({ fence }) => fence.epoch),
        Math.min(...rows.map(({ firstAt }) => firstAt)),
        Math.max(...rows.map(({ lastAt }) => lastAt)),
        this.window.pastMs,
        this.window.futureMs,
        rows.map(({ slot }) => slot),
        rows.map(({ firstAt }) => firstAt),
        rows.map(({ lastAt }) => lastAt),
        rows.map(({ packed }) => packed),
        ...(this.alongside?.values(observed) ?? []),
      ],
    });
    return rowCount === rows.length;
  }
}
