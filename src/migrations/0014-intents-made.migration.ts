import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The clock at which an intent was created: a clock that was ahead and is set back then does not delay it. */
export class AddIntentsMade1700000014000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE notification_intent ADD COLUMN made_at timestamptz`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
