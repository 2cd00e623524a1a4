import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens of service accounts: `project_id` is the project of the account, `user_id` its number. */
export class AddServiceTokens1700000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tokens ADD COLUMN project_id text');
    await runner.query('ALTER TABLE tokens DROP CONSTRAINT tokens_kind_check');
    await runner.query(`
      ALTER TABLE tokens ADD CONSTRAINT tokens_kind_check CHECK (
        kind IN ('login', 'personal') AND user_id > 0 AND project_id IS NULL
        OR kind = 'service' AND user_id < 0 AND project_id IS NOT NULL
      )`);
    await runner.query('CREATE INDEX tokens_by_project ON tokens (project_id) WHERE project_id IS NOT NULL');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
