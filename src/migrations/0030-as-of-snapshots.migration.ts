import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows of the views as of every few thousand events of a scope, as deflated JSON; derived from the log (src/projections/views/scope-snapshots.ts). */
export class CreateAsOfSnapshots1700000030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE as_of_snapshot (
        schema       text   NOT NULL,
        scope        text   COLLATE "C" NOT NULL,
        n            bigint NOT NULL,
        event_id     uuid   NOT NULL,
        voided_until bigint NOT NULL,
        PRIMARY KEY (schema, scope, n)
      )`);
    await runner.query(`
      CREATE TABLE as_of_rows (
        schema text    NOT NULL,
        scope  text    COLLATE "C" NOT NULL,
        n      bigint  NOT NULL,
        view   text    NOT NULL,
        part   integer NOT NULL,
        rows   bytea   NOT NULL,
        PRIMARY KEY (schema, scope, n, view, part),
        FOREIGN KEY (schema, scope, n) REFERENCES as_of_snapshot ON DELETE CASCADE
      )`);
    // It is compressed already.
    await runner.query('ALTER TABLE as_of_rows ALTER COLUMN rows SET STORAGE EXTERNAL');
    await runner.query('CREATE TABLE as_of_progress (schema text PRIMARY KEY, n bigint NOT NULL)');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
