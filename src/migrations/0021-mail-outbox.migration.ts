import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails with links, which wait here until the mail server has taken them; sealed, because a link is a secret. */
export class CreateMailOutbox1700000021000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mail_outbox (
        id         uuid        PRIMARY KEY,
        sealed     text        NOT NULL,
        user_id    integer,
        attempts   integer     NOT NULL DEFAULT 1,
        due_at     timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX mail_outbox_due ON mail_outbox (due_at)`);
    await runner.query(`CREATE INDEX mail_outbox_by_user ON mail_outbox (user_id)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
