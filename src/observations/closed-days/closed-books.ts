import type pg from 'pg';
import { unpackSketchedBuckets } from '../response-times/bucket.codec.ts';
import type { Bucket } from '../response-times/bucket.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';
import { DAY, startOfDay } from './day-intervals.codec.ts';

const HOURS = 24;
const numberOf = (day: string): number => startOfDay(day) / DAY;

/** Marks closed days and keeps their sketched buckets as long as their samples. */
export class ClosedBooks {
  constructor(private readonly db: Pick<pg.Pool, 'query'>) {}

  /** Projects whose day is not closed. The neighbouring hours count too: a sample and the day's last bucket may extend into the next day. */
  async open(day: string): Promise<readonly string[]> {
    const first = numberOf(day) * HOURS;
    const { rows } = await this.db.query<{ project_id: Buffer }>(
      `SELECT DISTINCT project_id FROM sample_hour WHERE hour BETWEEN $1 AND $2
       EXCEPT SELECT project_id FROM closed_book WHERE day = $3
       ORDER BY project_id`,
      [first - 1, first + HOURS, day],
    );
    return rows.map((row) => idText(row.project_id));
  }

  /** Marks a day whose summary is in the log, so that its samples may be deleted after the retention. */
  async mark(projectId: string, day: string, sha256: string, buckets: Buffer): Promise<void> {
    await this.db.query(`INSERT INTO closed_book (project_id, day, sha256, buckets) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, [
      idBytes(projectId),
      day,
      Buffer.from(sha256, 'hex'),
      buckets,
    ]);
  }

  /** The sketched buckets, where still kept, of the days from `first` to `last` inclusive. */
  async buckets(projectId: string, first: string, last: string): Promise<ReadonlyMap<string, readonly Bucket[]>> {
    const { rows } = await this.db.query<{ day: string; buckets: Buffer }>({
      name: 'closed_buckets',
      text: `SELECT to_char(day, 'YYYY-MM-DD') AS day, buckets FROM closed_book WHERE project_id = $1 AND day BETWEEN $2 AND $3 AND buckets IS NOT NULL`,
      values: [idBytes(projectId), first, last],
    });
    return new Map(rows.map(({ day, buckets }) => [day, unpackSketchedBuckets(buckets)]));
  }
}
