import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Service accounts of the installation have tokens without a project, and subscriptions know the project of the service account that owns them. */
export class AllowInstallationServiceTokens1700000070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tokens DROP CONSTRAINT tokens_kind_check');
    await runner.query(`
      ALTER TABLE tokens ADD CONSTRAINT tokens_kind_check CHECK (
        kind IN ('login', 'personal') AND user_id > 0 AND project_id IS NULL
        OR kind = 'service' AND user_id < 0
      )`);
    await runner.query('ALTER TABLE subscription ADD COLUMN project_id text');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
