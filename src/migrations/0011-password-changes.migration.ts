import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was begun beside the log says who began it, so that whoever finishes it writes the event of the one who asked. */
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
