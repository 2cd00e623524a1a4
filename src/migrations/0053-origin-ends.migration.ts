import type { MigrationInterface, QueryRunner } from 'typeorm';

export class StoreOriginEnds1700000053000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The signed statement that an origin of the log ended, by the number of losses before the origin that follows.
    await runner.query('CREATE TABLE ledger_origin_end (generation integer PRIMARY KEY, note text NOT NULL)');
    // The origin of a checkpoint states it.
    await runner.query('ALTER TABLE ledger_evidence DROP COLUMN generation');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
