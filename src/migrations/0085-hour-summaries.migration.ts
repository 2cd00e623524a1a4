import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the list of sites shows of a compacted hour (`hour-summary.ts`). Null in rows of a former version: their samples are read. */
export class SummarizeHours1700000085000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sample_hour ADD COLUMN summary bytea');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
