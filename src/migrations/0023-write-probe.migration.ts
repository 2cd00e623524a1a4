import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One row, written to find out whether writes go through again after one has failed (src/persistence/write-probe.ts). */
export class CreateWriteProbe1700000023000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE write_probe (written_at timestamptz NOT NULL DEFAULT now())`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
