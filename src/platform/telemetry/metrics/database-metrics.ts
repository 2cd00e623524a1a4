import type pg from 'pg';
import type { Registry } from 'prom-client';
import { coalesced } from '../../../kernel/cached.ts';
import { type ObservationPool, schemasOf } from '../../observations/schemas.ts';
import { callbackGauge } from './callback-gauge.ts';

interface Figures {
  readonly size: number;
  readonly log: number;
  readonly due: number;
  readonly overdue: number;
  readonly mails: number;
  readonly mailAge: number;
  readonly statusDue: number;
  readonly statusOverdue: number;
}

/** Counts only messages in state `due`, through a partial index. */
const QUERY = `
  SELECT pg_database_size(current_database())::float8 AS size, pg_total_relation_size('log')::float8 AS log,
         count(*)::float8 AS due,
         coalesce(greatest(extract(epoch FROM now() - min(next_try)), 0), 0)::float8 AS overdue,
         (SELECT count(*) FROM mail_outbox)::float8 AS mails,
         (SELECT coalesce(greatest(extract(epoch FROM now() - min(added_at)), 0), 0) FROM mail_outbox)::float8 AS "mailAge",
         (SELECT count(*) FROM status_delivery WHERE state = 'due')::float8 AS "statusDue",
         (SELECT coalesce(greatest(extract(epoch FROM now() - min(next_try)), 0), 0) FROM status_delivery
           WHERE state = 'due')::float8 AS "statusOverdue"
  FROM notification_message WHERE state = 'due'`;

const FIGURES = {
  watchledger_database_size_bytes: ['Size of the database on disk, including the log', ({ size }) => size],
  watchledger_log_size_bytes: ['Size of the table of events and its indexes on disk; it only grows', ({ log }) => log],
  watchledger_messages_due: ['Messages to be delivered, over all instances', ({ due }) => due],
  watchledger_messages_overdue_seconds: ['Seconds by which the oldest due message is overdue', ({ overdue }) => overdue],
  watchledger_mails_waiting: ['Mails with links that the mail server has not taken yet, over all instances', ({ mails }) => mails],
  watchledger_mails_waiting_seconds: ['Age of the oldest mail that waits for the mail server, in seconds', ({ mailAge }) => mailAge],
  watchledger_status_messages_due: [
    'Messages to subscribers of status pages to be delivered, over all instances',
    ({ statusDue }) => statusDue,
  ],
  watchledger_status_messages_overdue_seconds: [
    'Seconds by which the oldest due message to a subscriber is overdue',
    ({ statusOverdue }) => statusOverdue,
  ],
} as const satisfies Readonly<Record<string, readonly [string, (figures: Figures) => number]>>;

export const meterDatabase = (registry: Registry, db: pg.Pool): void => {
  meter<Figures>(registry, db, { name: 'metrics_database', text: QUERY }, FIGURES);
};

interface ObservationFigures {
  readonly size: number;
  readonly kept: number;
}

const OBSERVATIONS = `
  SELECT (SELECT sum(pg_total_relation_size(name)) FROM unnest($1::text[]) AS name)::float8 AS kept,
         (SELECT sum(pg_total_relation_size(relid)) FROM unnest($2::text[]) AS parent, pg_partition_tree(parent))::float8
         + (SELECT sum(pg_total_relation_size(name)) FROM unnest($3::text[]) AS name)::float8 AS size`;
const MEASURED = [
  ['kept_page', 'kept_answer', 'kept_exchange'],
  ['sample_hour', 'run_hour'],
  ['sample_flush', 'run_flush', 'latest_run', 'job_run', 'closed_book', 'latest_look', 'form_html'],
] as const;

const OBSERVATION_FIGURES = {
  watchledger_kept_pages_size_bytes: ['Size of the kept pages, response headers and exchanges on disk (KEPT_PAGES_MB)', ({ kept }) => kept],
  watchledger_observations_size_bytes: ['Size of the measurements on disk, without kept pages', ({ size }) => size],
} as const satisfies Readonly<Record<string, readonly [string, (figures: ObservationFigures) => number]>>;

/** Meters the database of observations, which may be another one. */
export const meterObservations = (registry: Registry, db: ObservationPool): void => {
  const schemas = schemasOf(db).all;
  const values = MEASURED.map((tables) => tables.flatMap((table) => schemas.map((schema) => schema.table(table))));
  meter<ObservationFigures>(registry, db, { name: 'metrics_observations', text: OBSERVATIONS, values }, OBSERVATION_FIGURES);
};

type Gauges<Row> = Readonly<Record<string, readonly [help: string, value: (row: Row) => number]>>;

function meter<Row extends pg.QueryResultRow>(registry: Registry, db: pg.Pool, query: pg.QueryConfig, gauges: Gauges<Row>): void {
  const readFigures = coalesced(async () => {
    const { rows } = await db.query<Row>(query);
    return rows[0];
  });
  for (const [name, [help, value]] of Object.entries(gauges))
    callbackGauge(registry, { name, help }, async (set) => {
      const figures = await readFigures();
      if (figures !== undefined) set(value(figures));
    });
}
