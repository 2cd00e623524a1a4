import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links that sign in to the console once. `first`: of the first account, printed by each start until one was used. */
export class AddSignInLinks1700000075000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE links
        ADD COLUMN first boolean NOT NULL DEFAULT false,
        DROP CONSTRAINT links_purpose_check,
        ADD CONSTRAINT links_purpose_check CHECK (purpose IN ('confirm', 'password', 'notification', 'sign-in'))`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
