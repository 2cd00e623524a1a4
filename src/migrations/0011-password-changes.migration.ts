import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pending erasures and password changes record their actor and command, so that a resumed one writes the event of the original command. */
export class CreatePasswordChanges1700000011000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE password_changes (
        user_id    integer     PRIMARY KEY,
        command_id text        NOT NULL,
        hash       text        NOT NULL,
        noted      json        NOT NULL,
        begun_at   timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('ALTER TABLE erasures ADD COLUMN noted json');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
