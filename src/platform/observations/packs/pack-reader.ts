import { BatchedLists } from '../../postgres/batched-lookup.ts';
import { inflatePack } from '../codec/bytes.ts';
import { isRecorded, type RecordedItem, withRecording } from '../codec/recording.ts';
import { indexIn, packAt } from './flush.codec.ts';
import { PackTail, type TailFlush, type TailHour } from './pack-tail.ts';
import { type ObservationDb, type ObservationSchema, perSchema, schemasOf } from '../schemas.ts';
import { FIRST_SLOT, formerSlotOf, formerSlots, hourOf, ID_BYTES, idBytes, idText, type PackKind, slotOf } from './pack-kind.ts';

/** A row that holds items of a project. */
export interface PackRow {
  /** Null for an hour of one project; otherwise where the id of the project stands in the directory of the flush, from 1. */
  readonly found: number | null;
  /** The directory, where twelve bytes of two ids may equal the id that was searched for. */
  readonly ids: Buffer | null;
  readonly packed: Buffer;
  /** Milliseconds; null as above. */
  readonly flushed_at: number | null;
}

interface SpanRow extends PackRow {
  readonly project_id: Buffer;
}

type TailRow = TailHour | (TailFlush & { readonly project_id: null });

interface BackwardsOptions {
  readonly mayHold?: (pack: Uint8Array) => boolean;
  readonly recordedUntil?: number;
}

/** A directory is as long as the pack that is read of it, so it is fetched only where it is needed. */
export const foundOf = (project: string): string =>
  `position(${project} IN ids) AS found, CASE WHEN (position(${project} IN ids) - 1) % ${String(ID_BYTES)} <> 0 THEN ids END AS ids`;

const FLUSHED_AT = 'extract(epoch FROM flushed_at)::float8 * 1000';

/** From `from`, up to but excluding `to`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Holds some of a project. Within a row of today's slots, ids stand in their order. */
export const holdsProject = (project: string): string => `
  (slot < ${String(FIRST_SLOT)} OR ${project} BETWEEN substring(ids FOR ${String(ID_BYTES)}) AND substring(ids FROM octet_length(ids) - ${String(ID_BYTES - 1)}))
  AND position(${project} IN ids) > 0`;

interface ReaderTexts {
  readonly span: string;
  readonly tails: string;
  readonly latest: string;
}

/** Over the tables of a schema. */
const textsOf = (hours: string, flushes: string): ReaderTexts => ({
  // OFFSET 0: the rows of a slot are read once for all of its projects, because those of all slots lie mixed.
  span: `
    SELECT project_id, false AS flushed, hour::bigint AS place, NULL::int AS found, NULL::bytea AS ids, packed, NULL::float8 AS flushed_at
    FROM ${hours} WHERE project_id = ANY ($1::bytea[]) AND hour BETWEEN $2 AND $3
    UNION ALL
    SELECT wanted.project_id, true, id, ${foundOf('wanted.project_id')}, packed, ${FLUSHED_AT}
    FROM (SELECT * FROM ${flushes} WHERE slot = ANY ($5::smallint[]) AND last_at >= $6 AND first_at < $7 OFFSET 0) AS flush
    JOIN unnest($4::bytea[], $5::smallint[]) AS wanted (project_id, slot) USING (slot) WHERE ${holdsProject('wanted.project_id')}
    ORDER BY flushed, place`,
  tails: `
    SELECT project_id, hour::bigint AS place, hour, packed, NULL::bytea AS ids, NULL::float8 AS first_at, NULL::float8 AS last_at
    FROM ${hours} WHERE project_id = ANY ($1::bytea[]) AND hour >= $2
    UNION ALL
    SELECT NULL, id, NULL, packed, ids, first_at::float8, last_at::float8 FROM ${flushes} WHERE slot = ANY ($3::smallint[]) AND last_at >= $4
    ORDER BY place`,
  latest: `
    SELECT NULL::int AS found, NULL::bytea AS ids, packed, NULL::float8 AS flushed_at FROM (
      SELECT packed FROM ${hours} WHERE project_id = $1 AND hour <= $2 ORDER BY hour DESC OFFSET $3 LIMIT $4
    ) AS hours
    UNION ALL
    SELECT ${foundOf('$1')}, packed, ${FLUSHED_AT} FROM ${flushes} WHERE slot = ANY ($5::smallint[]) AND ${holdsProject('$1')} AND first_at <= $6 AND $3 = 0`,
});

/** Reads a project's observations, compacted or not, in one statement, so that none is missed or duplicated during a compaction. */
export class PackReader<Item extends RecordedItem> {
  private readonly texts: (schema: ObservationSchema) => ReaderTexts;
  private readonly spans = new BatchedLists<Span, SpanRow>(
    (ids, span) => this.rowsOf(ids, span),
    ({ project_id }) => idText(project_id),
  );

  constructor(
    private readonly db: ObservationDb,
    private readonly kind: Omit<PackKind<Item>, 'pack'>,
  ) {
    this.texts = perSchema((schema) => textsOf(schema.table(`${kind.name}_hour`), schema.table(`${kind.name}_flush`)));
  }

  /** Reads many projects in one statement for each schema: reading them one by one would fetch the flushes of a shard once for each of its projects. */
  async tail(projectIds: readonly string[], from: number): Promise<PackTail<Item>> {
    const schemas = schemasOf(this.db);
    const reads = [...schemas.group(projectIds, (id) => schemas.ofProject(id))].map(([schema, ids]) => this.tailIn(schema, ids, from));
    const rows = (await Promise.all(reads)).flat();
    const isHour = (row: TailRow): row is TailHour => row.project_id !== null;
    const flushes = rows.flatMap((row) => (isHour(row) ? [] : [row]));
    return new PackTail(this.kind, projectIds, rows.filter(isHour), flushes);
  }

  private async tailIn(schema: ObservationSchema, projectIds: readonly string[], from: number): Promise<readonly TailRow[]> {
    const { rows } = await this.db.query<TailRow>({
      name: schema.statement(`${this.kind.name}_tail`),
      text: this.texts(schema).tails,
      values: [projectIds.map(idBytes), hourOf(clamp(from)), [...new Set([...projectIds.map(slotOf), ...formerSlots])], clamp(from)],
    });
    return rows;
  }

  /** From `from`, up to but excluding `to`, in order; `recordedUntil`: only those that were recorded until then. */
  async between(projectId: string, from: number, to: number, recordedUntil = Infinity): Promise<readonly Item[]> {
    if (!(from < to)) return [];
    const id = idBytes(projectId);
    const rows = await this.spans.load(projectId, { from: clamp(from), to: clamp(to) });
    const items: Item[] = [];
    for (const row of rows)
      for (const pack of packsIn(row, id))
        for (const item of this.kind.unpack(pack))
          if (item.at >= from && item.at < to && isRecordedIn(row, item, recordedUntil)) items.push(item);
    return this.kind.inOrder(items);
  }

  /** One statement for each schema. */
  private async rowsOf(projectIds: readonly string[], span: Span): Promise<readonly SpanRow[]> {
    const schemas = schemasOf(this.db);
    const groups = [...schemas.group(projectIds, (id) => schemas.ofProject(id))];
    return (await Promise.all(groups.map(([schema, ids]) => this.rowsIn(schema, ids, span)))).flat();
  }

  private async rowsIn(schema: ObservationSchema, projectIds: readonly string[], { from, to }: Span): Promise<readonly SpanRow[]> {
    const ids = projectIds.map(idBytes);
    const slots = [...projectIds.map(slotOf), ...projectIds.map(formerSlotOf)];
    const { rows } = await this.db.query<SpanRow>({
      name: schema.statement(`${this.kind.name}_between`),
      text: this.texts(schema).span,
      values: [ids, hourOf(from), hourOf(to - 1), [...ids, ...ids], slots, from, to],
    });
    return rows;
  }

  /**
   * Observations at or before an instant, latest first, a few hours at a time; the caller stops when it has enough. `mayHold` filters packs before they
   * are unpacked; `recordedUntil` as above.
   */
  async *backwards(
    projectId: string,
    until: number,
    { mayHold = () => true, recordedUntil = Infinity }: BackwardsOptions = {},
  ): AsyncIterable<readonly Item[]> {
    const id = idBytes(projectId);
    const schema = schemasOf(this.db).ofProject(projectId);
    const name = schema.statement(`${this.kind.name}_backwards`);
    for (let offset = 0, hours = 2; ; offset += hours, hours = Math.min(64, hours * 2)) {
      const values = [id, hourOf(clamp(until)), offset, hours, slotsOf(projectId), clamp(until)];
      const { rows } = await this.db.query<PackRow>({ name, text: this.texts(schema).latest, values });
      const earlier = rows.flatMap((row) =>
        packsIn(row, id)
          .filter(mayHold)
          .flatMap((pack) => this.kind.unpack(pack))
          .filter((item) => item.at <= until && isRecordedIn(row, item, recordedUntil)),
      );
      if (earlier.length > 0) yield [...this.kind.inOrder(earlier)].reverse();
      if (rows.filter(({ found }) => found === null).length < hours) return;
    }
  }
}

const slotsOf = (projectId: string): readonly number[] => [formerSlotOf(projectId), slotOf(projectId)];

const isRecordedIn = ({ flushed_at: flushedAt }: PackRow, item: RecordedItem, until: number): boolean =>
  until === Infinity || isRecorded(flushedAt === null ? item : withRecording(item, flushedAt), until);

export function packsIn({ found, ids, packed }: Pick<PackRow, 'found' | 'ids' | 'packed'>, projectId: Buffer): readonly Uint8Array[] {
  if (found === null) return [inflatePack(packed)];
  const index = ids === null ? (found - 1) / ID_BYTES : indexIn(ids, projectId);
  return index === null ? [] : [packAt(packed, index)];
}

/** Limits to the range of the tables' timestamps. */
const clamp = (at: number): number => Math.min(Math.max(Math.floor(at), -4_000_000_000_000), 7_000_000_000_000);
