import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What an account has used of a budget in its current window, over all instances. A fillfactor below 100 keeps updates on their page (HOT), since a
 * row in use changes once a second.
 */
export class CreateAccountUse1700000015000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_use (
        budget  text        COLLATE "C" NOT NULL,
        user_id integer     NOT NULL,
        used    bigint      NOT NULL,
        ends_at timestamptz NOT NULL,
        PRIMARY KEY (budget, user_id)
      ) WITH (fillfactor = 50)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
