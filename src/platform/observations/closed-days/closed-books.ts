import { BatchedLists } from '../../postgres/batched-lookup.ts';
import { unpackSketchedBuckets } from '../response-times/bucket.codec.ts';
import type { Bucket } from '../response-times/bucket.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';
import { type ObservationDb, type ObservationSchema, schemasOf } from '../schemas.ts';
import { idsOfShard } from '../shards.ts';
import { startOfDay } from './day-intervals.codec.ts';
import { DAY_MS } from '../../../kernel/time.ts';

export interface ClosedBook {
  readonly projectId: string;
  readonly sha256: string;
  readonly buckets: Buffer;
}

const HOURS = 24;
const numberOf = (day: string): number => startOfDay(day) / DAY_MS;

interface Days {
  readonly first: string;
  readonly last: string;
}

interface KeptDay {
  readonly project_id: Buffer;
  readonly day: string;
  readonly buckets: Buffer;
}

/** Marks closed days and keeps their sketched buckets as long as their samples. */
export class ClosedBooks {
  private readonly kept = new BatchedLists<Days, KeptDay>(
    (ids, days) => this.keptOf(ids, days),
    ({ project_id }) => idText(project_id),
  );

  constructor(private readonly db: ObservationDb) {}

  /** Projects of a shard whose day is not closed. The neighbouring hours count too: a sample and the day's last bucket may extend into the next day. */
  async open(day: string, shard: number): Promise<readonly string[]> {
    const begins = numberOf(day) * HOURS;
    const { first, last } = idsOfShard(shard);
    const schema = schemasOf(this.db).ofShard(shard);
    const { rows } = await this.db.query<{ project_id: Buffer }>({
      name: schema.statement('open_books'),
      text: `SELECT DISTINCT project_id FROM ${schema.table('sample_hour')} WHERE project_id BETWEEN $1 AND $2 AND hour BETWEEN $3 AND $4
        EXCEPT SELECT project_id FROM ${schema.table('closed_book')} WHERE project_id BETWEEN $1 AND $2 AND day = $5
        ORDER BY project_id`,
      values: [first, last, begins - 1, begins + HOURS, day],
    });
    return rows.map((row) => idText(row.project_id));
  }

  /** Marks days whose summaries are in the log, so that their samples may be deleted after the retention. */
  async mark(day: string, closed: readonly ClosedBook[]): Promise<void> {
    const schemas = schemasOf(this.db);
    const groups = schemas.group(closed, ({ projectId }) => schemas.ofProject(projectId));
    for (const [schema, books] of groups) await this.markIn(schema, day, books);
  }

  private async markIn(schema: ObservationSchema, day: string, closed: readonly ClosedBook[]): Promise<void> {
    await this.db.query({
      name: schema.statement('mark_books'),
      text: `INSERT INTO ${schema.table('closed_book')} (project_id, day, sha256, buckets)
        SELECT project_id, $1, sha256, buckets FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS closed (project_id, sha256, buckets) ON CONFLICT DO NOTHING`,
      values: [
        day,
        closed.map(({ projectId }) => idBytes(projectId)),
        closed.map(({ sha256 }) => Buffer.from(sha256, 'hex')),
        closed.map(({ buckets }) => buckets),
      ],
    });
  }

  /** The sketched buckets, where still kept, of the days from `first` to `last` inclusive. */
  async buckets(projectId: string, first: string, last: string): Promise<ReadonlyMap<string, readonly Bucket[]>> {
    const rows = await this.kept.load(projectId, { first, last });
    return new Map(rows.map(({ day, buckets }) => [day, unpackSketchedBuckets(buckets)]));
  }

  /** One statement for each schema. */
  private async keptOf(projectIds: readonly string[], { first, last }: Days): Promise<readonly KeptDay[]> {
    const schemas = schemasOf(this.db);
    const groups = [...schemas.group(projectIds, (id) => schemas.ofProject(id))];
    const found = await Promise.all(
      groups.map(([schema, ids]) =>
        this.db.query<KeptDay>({
          name: schema.statement('closed_buckets'),
          text: `SELECT project_id, to_char(day, 'YYYY-MM-DD') AS day, buckets FROM ${schema.table('closed_book')}
            WHERE project_id = ANY ($1::bytea[]) AND day BETWEEN $2 AND $3 AND buckets IS NOT NULL`,
          values: [ids.map(idBytes), first, last],
        }),
      ),
    );
    return found.flatMap(({ rows }) => rows);
  }
}
