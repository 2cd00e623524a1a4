import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateLog1700000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE log (
        n               bigint      PRIMARY KEY,
        source_position text        NOT NULL,
        id              uuid        NOT NULL UNIQUE,
        stream          text        NOT NULL,
        revision        bigint      NOT NULL,
        type            text        NOT NULL,
        version         smallint    NOT NULL,
        scope           text        NOT NULL,
        recorded_at     timestamptz NOT NULL,
        data            json        NOT NULL,
        meta            json        NOT NULL,
        UNIQUE (stream, revision)
      )`);
    await runner.query(`CREATE INDEX log_by_scope ON log (scope, n)`);
    await runner.query(`CREATE INDEX log_by_time ON log (recorded_at)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
