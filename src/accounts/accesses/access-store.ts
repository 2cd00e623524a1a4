import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { AccessKind } from './access.events.ts';
import type { Actor } from '../../kernel/event.ts';

/** Reads of one kind by one token or session. */
export interface ReadsOfOne {
  /** Null for reads of all projects, or of none. */
  readonly projectId: string | null;
  readonly kind: AccessKind;
  readonly actor: Actor & { readonly tokenId: string };
  readonly reads: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface CountedReads extends ReadsOfOne {
  readonly day: string;
  /** Whether the event of the first read was appended. */
  readonly recorded: boolean;
  /** The day is over: nothing is added any more. */
  readonly over: boolean;
}

interface Row {
  readonly project_id: string;
  readonly token_id: string;
  readonly kind: AccessKind;
  readonly day: string;
  readonly actor_kind: Actor['kind'];
  readonly actor_id: string;
  readonly reads: string;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly recorded: boolean;
  readonly over: boolean;
}

/** The day is that of the database at the time of counting, so that a day that is over stays as it is. */
const TODAY = `(now() AT TIME ZONE 'UTC')::date`;
const KEY = 'project_id = $1 AND token_id = $2 AND kind = $3 AND day = $4::date';
/** A statement that was under way at midnight still counts for the day before. */
const GRACE = `interval '1 minute'`;

const keyOf = ({ projectId, actor, kind, day }: CountedReads): readonly string[] => [projectId ?? '', actor.tokenId, kind, day];

/** Reads of the record until their events are appended: a count per reader, project, kind and day over all instances. */
@Injectable()
export class AccessStore {
  constructor(@Inject(pg.Pool) private readonly pool: Pick<pg.Pool, 'query'>) {}

  /** Adds to today's counts in one statement; answers whether some are new today. */
  async add(all: readonly ReadsOfOne[]): Promise<boolean> {
    const column = (value: (reads: ReadsOfOne) => unknown): readonly unknown[] => all.map(value);
    const { rows } = await this.pool.query<{ recorded: boolean }>(
      `INSERT INTO record_access AS known (project_id, token_id, kind, day, actor_kind, actor_id, reads, first_at, last_at)
       SELECT project_id, token_id, kind, ${TODAY}, actor_kind, actor_id, reads, first_at, last_at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::timestamptz[], $8::timestamptz[])
         AS read (project_id, token_id, kind, actor_kind, actor_id, reads, first_at, last_at)
       ORDER BY project_id, token_id, kind
       ON CONFLICT (project_id, token_id, kind, day) DO UPDATE
         SET reads = known.reads + excluded.reads, last_at = greatest(known.last_at, excluded.last_at)
       RETURNING recorded`,
      [
        column(({ projectId }) => projectId ?? ''),
        column(({ actor }) => actor.tokenId),
        column(({ kind }) => kind),
        column(({ actor }) => actor.kind),
        column(({ actor }) => actor.id),
        column(({ reads }) => reads),
        column(({ firstAt }) => firstAt.toISOString()),
        column(({ lastAt }) => lastAt.toISOString()),
      ],
    );
    return rows.some(({ recorded }) => !recorded);
  }

  /** What lacks an event: first reads, and days that are over. */
  async due(limit: number): Promise<readonly CountedReads[]> {
    const { rows } = await this.pool.query<Row>(
      `SELECT project_id, token_id, kind, day::text, actor_kind, actor_id, reads, first_at, last_at, recorded,
         day < ((now() - ${GRACE}) AT TIME ZONE 'UTC')::date AS over
       FROM record_access WHERE NOT recorded OR day < ((now() - ${GRACE}) AT TIME ZONE 'UTC')::date
       ORDER BY day, first_at LIMIT $1`,
      [limit],
    );
    return rows.map((row) => ({
      projectId: row.project_id === '' ? null : row.project_id,
      kind: row.kind,
      day: row.day,
      actor: { kind: row.actor_kind, id: row.actor_id, tokenId: row.token_id },
      reads: Number(row.reads),
      firstAt: row.first_at,
      lastAt: row.last_at,
      recorded: row.recorded,
      over: row.over,
    }));
  }

  async markRecorded(reads: CountedReads): Promise<void> {
    await this.pool.query(`UPDATE record_access SET recorded = true WHERE ${KEY}`, [...keyOf(reads)]);
  }

  async delete(reads: CountedReads): Promise<void> {
    await this.pool.query(`DELETE FROM record_access WHERE ${KEY}`, [...keyOf(reads)]);
  }
}
