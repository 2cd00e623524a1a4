import type pg from 'pg';
import { unpackSketchedBuckets } from '../response-times/bucket.codec.ts';
import type { Bucket } from '../response-times/bucket.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';
import { DAY, startOfDay } from './day-intervals.codec.ts';

const HOURS = 24;
const numberOf = (day: string): number => startOfDay(day) / DAY;

/** Which days were summed up, and the day's finely sketched buckets as long as its samples are kept. */
export class ClosedBooks {
  constructor(private readonly db: Pick<pg.Pool, 'query'>) {}

  /**
   * Projects whose book of the day is open. A sample may hold into the next day, and the day's last bucket reaches into it as well: the hours on either
   * side count.
   */
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

  /** The day's books stand in the log: what was measured may go when its time has come. */
  async mark(projectId: string, day: string, sha256: string, buckets: Buffer): Promise<void> {
    await this.db.query(`INSERT INTO closed_book (project_id, day, sha256, buckets) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, [
      idBytes(projectId),
      day,
      Buffer.from(sha256, 'hex'),
      buckets,
    ]);
  }

  /** The sketched buckets of the days from `first` to `last`, both included, that still have them. */
  async buckets(projectId: string, first: string, last: string): Promise<ReadonlyMap<string, readonly Bucket[]>> {
    const { rows } = await this.db.query<{ day: string; buckets: Buffer }>({
      name: 'closed_buckets',
      text: `SELECT to_char(day, 'YYYY-MM-DD') AS day, buckets FROM closed_book WHERE project_id = $1 AND day BETWEEN $2 AND $3 AND buckets IS NOT NULL`,
      values: [idBytes(projectId), first, last],
    });
    return new Map(rows.map(({ day, buckets }) => [day, unpackSketchedBuckets(buckets)]));
  }
}
