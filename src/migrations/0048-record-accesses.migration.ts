import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads of the record per reader, kind and day, until their events are appended. `project_id`: empty where they concern no one project. */
export class CountRecordAccesses1700000048000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE record_access (
        project_id text        NOT NULL,
        token_id   text        NOT NULL,
        kind       text        NOT NULL,
        day        date        NOT NULL,
        actor_kind text        NOT NULL,
        actor_id   text        NOT NULL,
        reads      bigint      NOT NULL,
        first_at   timestamptz NOT NULL,
        last_at    timestamptz NOT NULL,
        recorded   boolean     NOT NULL DEFAULT false,
        PRIMARY KEY (project_id, token_id, kind, day)
      )`);
    await runner.query(`CREATE INDEX record_access_by_day ON record_access (day)`);
    await runner.query(`CREATE INDEX record_access_unrecorded ON record_access (day) WHERE NOT recorded`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
