import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWitness1700000022000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What this installation cosigned last for each log that it witnesses.
    await runner.query(`
      CREATE TABLE witnessed_log (
        origin      text        PRIMARY KEY,
        size        bigint      NOT NULL,
        root        bytea       NOT NULL,
        note        text        NOT NULL,
        cosigned_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    // Signature lines of witnesses under checkpoints of this log.
    await runner.query(`
      CREATE TABLE ledger_cosignature (
        number      bigint      NOT NULL,
        witness_key text        NOT NULL,
        line        text        NOT NULL,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (number, witness_key)
      )`);
    await runner.query('CREATE INDEX ledger_cosignature_by_witness ON ledger_cosignature (witness_key, number)');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
