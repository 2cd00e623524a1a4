import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One-time codes with which a sign-in through a provider is exchanged for a token. */
export class CreateSignInCodes1700000020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sign_in_codes (
        hash             text        PRIMARY KEY,
        user_id          integer     NOT NULL,
        purpose          text        NOT NULL CHECK (purpose IN ('sign-in', 'confirm')),
        binding          text        NOT NULL,
        authenticated_at timestamptz,
        expires_at       timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX sign_in_codes_user ON sign_in_codes (user_id)');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
