import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By which clock an intent was made due: one that was ahead and is set back holds nobody up. */
export class AddIntentsMade1700000014000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE notification_intent ADD COLUMN made_at timestamptz`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
