import { Injectable } from '@nestjs/common';
import pg from 'pg';
import type { CarriedSeal } from './carried-seal.ts';

/** How far one scope was pushed to one destination. */
export interface PartitionRow {
  readonly destinationId: string;
  readonly scope: string;
  readonly position: number;
  readonly latest: number;
  readonly replay: number;
  readonly control: number;
  readonly batchEnd: number | null;
  readonly attempts: number;
  readonly failingSince: Date | null;
  readonly nextTry: Date | null;
  readonly giveUpAt: Date | null;
  readonly parkedAt: Date | null;
  readonly lastAnswer: string | null;
  readonly lastAnswerAt: Date | null;
  readonly seal: CarriedSeal | null;
}

export interface ScanRow {
  readonly destinationId: string;
  readonly scanned: number;
  readonly replay: number;
}

type NewPartition = Pick<PartitionRow, 'destinationId' | 'scope' | 'position' | 'latest' | 'replay' | 'control'>;

/** What an operator or a change of settings asks of the partitions of a destination. */
export interface Control {
  /** Position of the event. */
  readonly n: number;
  /** Null for all. */
  readonly scope: string | null;
  /** The position after which a replay begins; null when it only retries what failed or is parked. */
  readonly after: number | null;
}

export interface FailedPush {
  readonly batchEnd: number;
  readonly answer: string;
  readonly now: number;
  readonly nextTry: number;
  readonly giveUpAt: number;
  readonly isParked: boolean;
}

/** How far a destination is, over all of its scopes. */
export interface DestinationFigures extends Pick<
  PartitionRow,
  'position' | 'attempts' | 'failingSince' | 'nextTry' | 'lastAnswer' | 'lastAnswerAt'
> {
  readonly retrying: number;
  readonly parked: number;
}

/** Scopes whose events are not delivered. */
export interface PushStatus {
  readonly retrying: number;
  readonly parked: number;
  /** Since the first failure of the one that has failed for longest. */
  readonly seconds: number;
}

type Row = Omit<PartitionRow, 'position' | 'latest' | 'replay' | 'control' | 'batchEnd' | 'seal'> & {
  readonly [Name in 'position' | 'latest' | 'replay' | 'control']: string;
} & { readonly batchEnd: string | null; readonly sealOrigin: string | null; readonly sealSize: string | null };

const COLUMNS = `destination_id AS "destinationId", scope, position, latest, replay, control, batch_end AS "batchEnd", attempts,
  failing_since AS "failingSince", next_try AS "nextTry",
  give_up_at AS "giveUpAt", parked_at AS "parkedAt", last_answer AS "lastAnswer", last_answer_at AS "lastAnswerAt",
  seal_origin AS "sealOrigin", seal_size AS "sealSize"`;

const MOST_PARKED = 1_000;

/** Not if another instance, or a replay, moved it meanwhile: at least once, and never back to where a former owner of the lease was. */
const UNMOVED = 'destination_id = $1 AND scope = $2 AND position = $3 AND control = $4';
const NOT_FAILING = 'batch_end = NULL, attempts = 0, failing_since = NULL, next_try = NULL, give_up_at = NULL, parked_at = NULL';

/** Positions of destinations in the log. Only the pusher writes them, in the instance that holds its lease. */
@Injectable()
export class PushStore {
  constructor(private readonly pool: pg.Pool) {}

  async all(): Promise<readonly PartitionRow[]> {
    return this.rows(`SELECT ${COLUMNS} FROM destination_partition`, []);
  }

  async get(destinationId: string, scope: string): Promise<PartitionRow | null> {
    const [row] = await this.rows(`SELECT ${COLUMNS} FROM destination_partition WHERE destination_id = $1 AND scope = $2`, [
      destinationId,
      scope,
    ]);
    return row ?? null;
  }

  /** Positions beyond the end of the log are those of a log that lost its latest events. */
  async cutTo(head: number): Promise<void> {
    await this.pool.query(
      'UPDATE destination_partition SET position = least(position, $1), latest = least(latest, $1), batch_end = NULL WHERE greatest(position, latest) > $1',
      [head],
    );
    await this.pool.query('UPDATE destination_scan SET scanned = $1 WHERE scanned > $1', [head]);
  }

  /** Adds what is missing, and raises `latest` of what is there. Answers all of them. */
  async add(partitions: readonly NewPartition[]): Promise<readonly PartitionRow[]> {
    const of = (value: (one: NewPartition) => string | number): readonly (string | number)[] => partitions.map(value);
    return this.rows(
      `INSERT INTO destination_partition AS known (destination_id, scope, position, latest, replay, control)
       SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
       ON CONFLICT (destination_id, scope) DO UPDATE SET latest = greatest(known.latest, excluded.latest)
       RETURNING ${COLUMNS}`,
      [
        of(({ destinationId }) => destinationId),
        of(({ scope }) => scope),
        of(({ position }) => position),
        of(({ latest }) => latest),
        of(({ replay }) => replay),
        of(({ control }) => control),
      ],
    );
  }

  /** Null when it was moved meanwhile. */
  async delivered(
    { destinationId, scope, position, control }: PartitionRow,
    { to, answer, now, seal }: { readonly to: number; readonly answer: string; readonly now: number; readonly seal: CarriedSeal | null },
  ): Promise<PartitionRow | null> {
    const [row] = await this.rows(
      `UPDATE destination_partition SET position = $5, last_answer = $6, last_answer_at = $7, seal_origin = $8, seal_size = $9, ${NOT_FAILING}
       WHERE ${UNMOVED} RETURNING ${COLUMNS}`,
      [destinationId, scope, position, control, to, answer, new Date(now), seal?.origin ?? null, seal?.size ?? null],
    );
    return row ?? null;
  }

  /** Null when it was moved meanwhile. */
  async failed(
    { destinationId, scope, position, control }: PartitionRow,
    { batchEnd, answer, now, nextTry, giveUpAt, isParked }: FailedPush,
  ): Promise<PartitionRow | null> {
    const at = new Date(now);
    const [row] = await this.rows(
      `UPDATE destination_partition SET attempts = attempts + 1, failing_since = coalesce(failing_since, $7), batch_end = $5, last_answer = $6, last_answer_at = $7, next_try = $8, give_up_at = $9,
         parked_at = $10
       WHERE ${UNMOVED} RETURNING ${COLUMNS}`,
      [
        ...[destinationId, scope, position, control, batchEnd, answer, at],
        ...[isParked ? null : new Date(nextTry), new Date(giveUpAt), isParked ? at : null],
      ],
    );
    return row ?? null;
  }

  /** Answers the changed partitions. */
  async control(destinationId: string, { n, scope, after }: Control): Promise<readonly PartitionRow[]> {
    return this.rows(
      `UPDATE destination_partition SET control = $2, ${NOT_FAILING},
         position = coalesce($4, position), replay = CASE WHEN $4::bigint IS NULL THEN replay ELSE $2 END
       WHERE destination_id = $1 AND ($3::text IS NULL OR scope = $3) AND control < $2 RETURNING ${COLUMNS}`,
      [destinationId, n, scope, after],
    );
  }

  async remove(destinationId: string): Promise<void> {
    await this.pool.query('DELETE FROM destination_partition WHERE destination_id = $1', [destinationId]);
    await this.pool.query('DELETE FROM destination_scan WHERE destination_id = $1', [destinationId]);
  }

  /** Removes destinations that ended while nothing was pushed. */
  async keepOnly(destinationIds: readonly string[]): Promise<void> {
    await this.pool.query('DELETE FROM destination_partition WHERE destination_id <> ALL ($1)', [destinationIds]);
    await this.pool.query('DELETE FROM destination_scan WHERE destination_id <> ALL ($1)', [destinationIds]);
  }

  /** How far destinations are, by id; those without a stored scope or scan are missing. */
  async figures(destinationIds: readonly string[]): Promise<ReadonlyMap<string, DestinationFigures>> {
    const { rows } = await this.pool.query<
      Omit<DestinationFigures, 'position'> & { readonly destinationId: string; readonly position: string }
    >(
      `SELECT coalesce(p.destination_id, s.destination_id) AS "destinationId",
         coalesce(least(min(position) FILTER (WHERE s.scanned IS NULL OR latest > position), max(s.scanned)), max(position)) AS position,
         (count(*) FILTER (WHERE attempts > 0 AND parked_at IS NULL))::int AS retrying, (count(*) FILTER (WHERE parked_at IS NOT NULL))::int AS parked,
         coalesce(max(attempts), 0)::int AS attempts, min(failing_since) AS "failingSince", min(next_try) AS "nextTry",
         (array_agg(last_answer ORDER BY last_answer_at DESC NULLS LAST))[1] AS "lastAnswer", max(last_answer_at) AS "lastAnswerAt"
       FROM destination_partition p FULL JOIN destination_scan s USING (destination_id)
       WHERE coalesce(p.destination_id, s.destination_id) = ANY ($1) GROUP BY 1`,
      [destinationIds],
    );
    return new Map(rows.map(({ destinationId, position, ...row }) => [destinationId, { ...row, position: Number(position) }]));
  }

  async parked(destinationId: string): Promise<readonly PartitionRow[]> {
    return this.rows(
      `SELECT ${COLUMNS} FROM destination_partition WHERE destination_id = $1 AND parked_at IS NOT NULL ORDER BY scope LIMIT $2`,
      [destinationId, MOST_PARKED],
    );
  }

  /** For metrics. */
  async status(): Promise<PushStatus> {
    const { rows } = await this.pool.query<PushStatus>(
      `SELECT (count(*) FILTER (WHERE parked_at IS NULL))::int AS retrying, (count(*) FILTER (WHERE parked_at IS NOT NULL))::int AS parked,
         coalesce(extract(epoch FROM clock_timestamp() - min(failing_since) FILTER (WHERE parked_at IS NULL)), 0)::float8 AS seconds
       FROM destination_partition WHERE attempts > 0`,
    );
    return rows[0] ?? { retrying: 0, parked: 0, seconds: 0 };
  }

  async scans(): Promise<readonly ScanRow[]> {
    const { rows } = await this.pool.query<{ destinationId: string; scanned: string; replay: string }>(
      'SELECT destination_id AS "destinationId", scanned, replay FROM destination_scan',
    );
    return rows.map(({ destinationId, scanned, replay }) => ({ destinationId, scanned: Number(scanned), replay: Number(replay) }));
  }

  async scanned({ destinationId, scanned, replay }: ScanRow): Promise<void> {
    await this.pool.query(
      `INSERT INTO destination_scan (destination_id, scanned, replay) VALUES ($1, $2, $3)
       ON CONFLICT (destination_id) DO UPDATE SET scanned = excluded.scanned, replay = excluded.replay`,
      [destinationId, scanned, replay],
    );
  }

  private async rows(text: string, values: readonly unknown[]): Promise<readonly PartitionRow[]> {
    const { rows } = await this.pool.query<Row>(text, [...values]);
    return rows.map(({ position, latest, replay, control, batchEnd, sealOrigin, sealSize, ...row }) => ({
      ...row,
      position: Number(position),
      latest: Number(latest),
      replay: Number(replay),
      control: Number(control),
      batchEnd: batchEnd === null ? null : Number(batchEnd),
      seal: sealOrigin === null ? null : { origin: sealOrigin, size: Number(sealSize) },
    }));
  }
}
