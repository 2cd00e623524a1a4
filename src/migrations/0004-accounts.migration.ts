import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAccounts1700000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE subject_keys (
        subject   text        PRIMARY KEY,
        wrapped   bytea,
        made_at   timestamptz NOT NULL DEFAULT now(),
        erased_at timestamptz,
        CHECK ((wrapped IS NULL) = (erased_at IS NOT NULL))
      )`);
    await runner.query(`
      CREATE TABLE installation_secrets (
        name    text        PRIMARY KEY,
        wrapped bytea       NOT NULL,
        made_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE passwords (
        user_id    integer     PRIMARY KEY,
        hash       text        NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE tokens (
        token_id     text        PRIMARY KEY,
        user_id      integer     NOT NULL,
        kind         text        NOT NULL CHECK (kind IN ('login', 'personal')),
        issued_at    timestamptz NOT NULL DEFAULT now(),
        expires_at   timestamptz NOT NULL,
        last_used_at timestamptz
      )`);
    await runner.query(`CREATE INDEX tokens_by_user ON tokens (user_id)`);
    await runner.query(`CREATE INDEX tokens_by_expiry ON tokens (expires_at)`);
    await runner.query(`
      CREATE TABLE links (
        hash       text        PRIMARY KEY,
        user_id    integer     NOT NULL,
        purpose    text        NOT NULL CHECK (purpose IN ('confirm', 'password')),
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX links_by_user ON links (user_id)`);
    await runner.query(`
      CREATE TABLE tries (
        key    text        PRIMARY KEY,
        failed integer     NOT NULL,
        since  timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX tries_by_age ON tries (since)`);
    await runner.query(`
      CREATE TABLE erasures (
        user_id  integer     PRIMARY KEY,
        begun_at timestamptz NOT NULL DEFAULT now(),
        done_at  timestamptz
      )`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
