import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateProjections1700000003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row per schema of read models. (n, event_id) is its checkpoint, advanced in the transaction that writes the rows;
    // the fill factor allows HOT updates, because every batch updates the row.
    await runner.query(`
      CREATE TABLE projection (
        schema     text        PRIMARY KEY,
        name       text        NOT NULL,
        version    text        NOT NULL,
        state      text        NOT NULL DEFAULT 'building' CHECK (state IN ('building', 'live', 'failed')),
        paused     boolean     NOT NULL DEFAULT false,
        rebuild    boolean     NOT NULL DEFAULT false,
        n          bigint      NOT NULL DEFAULT -1,
        event_id   uuid,
        moved_at   timestamptz NOT NULL DEFAULT now(),
        total      bigint,
        error      text,
        created_at timestamptz NOT NULL DEFAULT now(),
        live_at    timestamptz
      ) WITH (fillfactor = 50)`);
    // Parked events, by row of a view or by partition of a set projection.
    await runner.query(`
      CREATE TABLE projection_parked (
        schema     text        NOT NULL REFERENCES projection ON UPDATE CASCADE ON DELETE CASCADE,
        view       text        NOT NULL,
        key        text        NOT NULL,
        scope      text        NOT NULL,
        n          bigint      NOT NULL,
        event_id   uuid        NOT NULL,
        type       text        NOT NULL,
        error      text        NOT NULL,
        attempts   integer     NOT NULL DEFAULT 1,
        retry      boolean     NOT NULL DEFAULT false,
        parked_at  timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (schema, view, key)
      )`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
