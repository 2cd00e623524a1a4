import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Statements of closed months, in the bytes in which they are answered again (gzip); their events carry the hashes. */
const STATEMENT = `
  CREATE TABLE statement (
    project_id bytea NOT NULL,
    sha256 bytea NOT NULL,
    document bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, sha256)
  )`;

export class StoreStatements1700000046000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(STATEMENT);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
