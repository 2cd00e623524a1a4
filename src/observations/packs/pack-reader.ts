import type pg from 'pg';
import { inflatePack } from '../codec/bytes.ts';
import { packsOf } from './flush.codec.ts';
import { hourOf, idBytes, type PackKind, slotOf } from './pack-kind.ts';

interface Row {
  readonly flushed: boolean;
  readonly packed: Buffer;
}

/** Reads a project's observations, compacted or not, in one statement, so that none is missed or duplicated during a compaction. */
export class PackReader<Item extends { readonly at: number }> {
  private readonly span: string;
  private readonly latest: string;

  constructor(
    private readonly db: Pick<pg.Pool, 'query'>,
    private readonly kind: Omit<PackKind<Item>, 'pack'>,
  ) {
    const { name } = kind;
    this.span = `
      SELECT false AS flushed, hour::bigint AS place, packed FROM ${name}_hour WHERE project_id = $1 AND hour BETWEEN $2 AND $3
      UNION ALL
      SELECT true, id, packed FROM ${name}_flush WHERE slot = $4 AND last_at >= $5 AND first_at < $6
      ORDER BY flushed, place`;
    this.latest = `
      SELECT false AS flushed, packed FROM (
        SELECT packed FROM ${name}_hour WHERE project_id = $1 AND hour <= $2 ORDER BY hour DESC OFFSET $3 LIMIT $4
      ) AS hours
      UNION ALL
      SELECT true, packed FROM ${name}_flush WHERE slot = $5 AND first_at <= $6 AND $3 = 0`;
  }

  /** From `from`, up to but excluding `to`, in order. */
  async between(projectId: string, from: number, to: number): Promise<readonly Item[]> {
    if (!(from < to)) return [];
    const values = [idBytes(projectId), hourOf(clamp(from)), hourOf(clamp(to - 1)), slotOf(projectId), clamp(from), clamp(to)];
    const { rows } = await this.db.query<Row>({ name: `${this.kind.name}_between`, text: this.span, values });
    const items: Item[] = [];
    for (const row of rows)
      for (const pack of packsIn(row, projectId))
        for (const item of this.kind.unpack(pack)) if (item.at >= from && item.at < to) items.push(item);
    return this.kind.inOrder(items);
  }

  /**
   * Observations at or before an instant, latest first, a few hours at a time; the caller stops when it has enough. `mayHold` filters packs before they
   * are unpacked.
   */
  async *backwards(projectId: string, until: number, mayHold: (pack: Uint8Array) => boolean = () => true): AsyncIterable<readonly Item[]> {
    for (let offset = 0, hours = 2; ; offset += hours, hours = Math.min(64, hours * 2)) {
      const values = [idBytes(projectId), hourOf(clamp(until)), offset, hours, slotOf(projectId), clamp(until)];
      const { rows } = await this.db.query<Row>({ name: `${this.kind.name}_backwards`, text: this.latest, values });
      const items = rows.flatMap((row) =>
        packsIn(row, projectId)
          .filter(mayHold)
          .flatMap((pack) => this.kind.unpack(pack)),
      );
      const earlier = items.filter(({ at }) => at <= until);
      if (earlier.length > 0) yield [...this.kind.inOrder(earlier)].reverse();
      if (rows.filter(({ flushed }) => !flushed).length < hours) return;
    }
  }
}

const packsIn = ({ flushed, packed }: Row, projectId: string): readonly Uint8Array[] =>
  flushed ? [...packsOf(packed)].flatMap((one) => (one.projectId === projectId ? [one.pack] : [])) : [inflatePack(packed)];

/** Limits to the range of the tables' timestamps. */
const clamp = (at: number): number => Math.min(Math.max(Math.floor(at), -4_000_000_000_000), 7_000_000_000_000);
