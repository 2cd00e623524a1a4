import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotency1700000006000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency (
        key          uuid        PRIMARY KEY,
        generation   integer     NOT NULL DEFAULT 1,
        request_hash text        NOT NULL,
        begun_at     timestamptz NOT NULL DEFAULT now(),
        status       smallint,
        content_type text,
        body         text
      )`);
    await runner.query(`CREATE INDEX idempotency_by_age ON idempotency (begun_at)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
