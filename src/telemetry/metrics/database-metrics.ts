import type pg from 'pg';
import type { Registry } from 'prom-client';
import { together, callbackGauge } from './callback-gauge.ts';

interface Figures {
  readonly size: number;
  readonly due: number;
  readonly overdue: number;
}

/** Of messages only what is still to be sent is looked at, through its own index. */
const LOOK = `
  SELECT pg_database_size(current_database())::float8 AS size, count(*)::float8 AS due,
         coalesce(greatest(extract(epoch FROM now() - min(next_try)), 0), 0)::float8 AS overdue
  FROM notification_message WHERE state = 'due'`;

const FIGURES = {
  watchledger_database_size_bytes: ['What the database takes on its disk, the log with it', ({ size }) => size],
  watchledger_messages_due: ['Messages that are still to be delivered, over all instances', ({ due }) => due],
  watchledger_messages_overdue_seconds: ['How long the first of them should have been tried already', ({ overdue }) => overdue],
} as const satisfies Readonly<Record<string, readonly [string, (figures: Figures) => number]>>;

export function meterDatabase(registry: Registry, db: pg.Pool): void {
  const look = together(async () => {
    const { rows } = await db.query<Figures>({ name: 'metrics_database', text: LOOK });
    return rows[0];
  });
  for (const [name, [help, value]] of Object.entries(FIGURES))
    callbackGauge(registry, { name, help }, async (tell) => {
      const figures = await look();
      if (figures !== undefined) tell(value(figures));
    });
}
