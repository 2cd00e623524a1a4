import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions of the console: login tokens that are shown as a cookie. Of the values of the cookie there are hashes only. */
export class AddSessionCookies1700000074000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tokens
        ADD COLUMN cookie_hash        text        UNIQUE,
        ADD COLUMN cookie_at          timestamptz,
        ADD COLUMN cookie_role        text,
        ADD COLUMN former_cookie_hash text,
        ADD COLUMN by_link            boolean     NOT NULL DEFAULT false`);
    await runner.query('CREATE INDEX tokens_former_cookie ON tokens (former_cookie_hash) WHERE former_cookie_hash IS NOT NULL');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
