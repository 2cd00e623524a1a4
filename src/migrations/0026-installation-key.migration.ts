import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateInstallationKey1700000026000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Which key is in use, by fingerprint, so that instances with the old and the new configuration use the same one during a rotation.
    await runner.query(`
      CREATE TABLE installation_key (
        name        text        NOT NULL,
        fingerprint text        NOT NULL,
        state       text        NOT NULL CHECK (state IN ('active', 'previous', 'retired')),
        since       timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (name, fingerprint)
      )`);
    await runner.query(`CREATE UNIQUE INDEX installation_key_in_use ON installation_key (name, state) WHERE state <> 'retired'`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
