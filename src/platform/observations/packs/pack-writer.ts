import { type FencingToken, raisedFences } from '../fences.ts';
import { type ObservationDb, type ObservationSchema, perSchema, schemasOf } from '../schemas.ts';
import { flushRows, type ObservedItem } from './flush.codec.ts';
import type { PackKind } from './pack-kind.ts';

/** Observations made under one lease. */
export interface FencedBatch<Item> {
  readonly fence: FencingToken;
  readonly observed: readonly ObservedItem<Item>[];
}

/** By the database's clock: older observations would miss the closing of their day, later ones come from a wrong clock. */
export interface AcceptanceWindow {
  readonly pastMs: number;
  readonly futureMs: number;
}

export const acceptanceWindow: AcceptanceWindow = { pastMs: 300_000, futureMs: 60_000 };

/** Further CTEs of the flush statement, conditional on `(SELECT yes FROM allowed)`; their parameters start at $12. */
export interface Alongside<Item> {
  readonly expressions: (schema: ObservationSchema) => string;
  values(observed: readonly ObservedItem<Item>[]): readonly unknown[];
}

/** Writes the observations of many projects, fenced: the epochs of the leases are checked in the statement that inserts. */
export class PackWriter<Item extends { readonly at: number }> {
  private readonly statement: (schema: ObservationSchema) => string;

  constructor(
    private readonly db: ObservationDb,
    private readonly kind: Pick<PackKind<Item>, 'name' | 'pack'>,
    private readonly window: AcceptanceWindow = acceptanceWindow,
    private readonly alongside: Alongside<Item> | null = null,
  ) {
    this.statement = perSchema(
      (schema) => `
      WITH held AS (${raisedFences('$1', '$2', schema.table('observation_fence'))}),
      allowed AS (
        SELECT (SELECT count(*) FROM held) = cardinality($1::text[])
           AND $3::bigint >= extract(epoch FROM clock_timestamp()) * 1000 - $5::bigint
           AND $4::bigint <= extract(epoch FROM clock_timestamp()) * 1000 + $6::bigint AS yes
      )${alongside === null ? '' : `, ${alongside.expressions(schema)}`}
      INSERT INTO ${schema.table(`${kind.name}_flush`)} (slot, first_at, last_at, packed, ids)
      SELECT * FROM unnest($7::smallint[], $8::bigint[], $9::bigint[], $10::bytea[], $11::bytea[]) WHERE (SELECT yes FROM allowed)`,
    );
  }

  /** The names of the leases whose observations were written; those of the other leases are dropped completely. */
  async accept(batches: readonly FencedBatch<Item>[]): Promise<ReadonlySet<string>> {
    const nonEmpty = batches.filter(({ observed }) => observed.length > 0);
    const schemas = schemasOf(this.db);
    const groups = [...schemas.group(nonEmpty, ({ fence }) => schemas.ofLease(fence.name))];
    const accepted = await Promise.all(groups.map(([schema, ofSchema]) => this.acceptIn(schema, ofSchema)));
    return new Set(accepted.flat());
  }

  private async acceptIn(schema: ObservationSchema, batches: readonly FencedBatch<Item>[]): Promise<readonly string[]> {
    if (await this.insert(schema, batches)) return batches.map(({ fence }) => fence.name);
    // Rare: a lease was lost, which must not cost the other leases their observations.
    const accepted: string[] = [];
    if (batches.length > 1) for (const batch of batches) if (await this.insert(schema, [batch])) accepted.push(batch.fence.name);
    return accepted;
  }

  private async insert(schema: ObservationSchema, batches: readonly FencedBatch<Item>[]): Promise<boolean> {
    const observed = batches.flatMap((batch) => batch.observed);
    const rows = flushRows(this.kind, observed);
    const { rowCount } = await this.db.query({
      name: schema.statement(`${this.kind.name}_accept`),
      text: this.statement(schema),
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
        rows.map(({ ids }) => ids),
        ...(this.alongside?.values(observed) ?? []),
      ],
    });
    return rowCount === rows.length;
  }
}
