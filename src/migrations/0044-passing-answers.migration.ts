import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the run passed, so that the last page that passed is found without reading runs. Unknown of answers that were kept before. */
export class MarkPassingAnswers1700000044000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE kept_answer ADD COLUMN passed boolean`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
