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
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
