import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Second factors: the secrets of those that the log says are in force, recovery codes by keyed hash, WebAuthn challenges that were answered, and what
 * a session was opened with besides a password.
 */
export class CreateSecondFactors1700000019000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE second_factor (
        factor_id     text        PRIMARY KEY,
        user_id       integer     NOT NULL,
        kind          text        NOT NULL CHECK (kind IN ('totp', 'passkey')),
        -- Of an authenticator app: sealed with the key of the account, and the last time step of which a code was accepted.
        secret        text,
        last_step     bigint      NOT NULL DEFAULT 0,
        -- Of a passkey.
        credential_id text        UNIQUE,
        public_key    bytea,
        counter       bigint      NOT NULL DEFAULT 0,
        transports    text[]      NOT NULL DEFAULT '{}',
        made_at       timestamptz NOT NULL DEFAULT now(),
        confirmed_at  timestamptz,
        last_used_at  timestamptz
      )`);
    await runner.query(`CREATE INDEX second_factor_by_user ON second_factor (user_id)`);
    await runner.query(`
      CREATE TABLE recovery_code (
        user_id integer NOT NULL,
        set_id  text    NOT NULL,
        place   integer NOT NULL,
        hash    text    NOT NULL,
        PRIMARY KEY (user_id, set_id, place)
      )`);
    await runner.query(`
      CREATE TABLE answered_challenge (
        hash       text        PRIMARY KEY,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`ALTER TABLE tokens ADD COLUMN second_factor text`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
