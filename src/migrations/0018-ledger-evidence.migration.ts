import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateLedgerEvidence1700000018000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Checkpoints that instances know to have been signed although this database does not lead to them, for example after a failover.
    await runner.query(`
      CREATE TABLE ledger_evidence (
        size       bigint      NOT NULL,
        root       bytea       NOT NULL,
        generation integer,
        note       text        NOT NULL,
        source     text        NOT NULL,
        added_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (size, root)
      )`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
