import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a mail was stored: shows operators for how long mails have been waiting. */
export class AddMailAge1700000033000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE mail_outbox ADD COLUMN added_at timestamptz NOT NULL DEFAULT now()`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
