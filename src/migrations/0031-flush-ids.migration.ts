import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ids of the projects in a flush, so that a reader finds its rows by them and unpacks no others. */
export class AddFlushIds1700000031000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const kind of ['sample', 'run']) {
      // Rows of the former format live for minutes, until they are compacted.
      await runner.query(`TRUNCATE ${kind}_flush`);
      await runner.query(`ALTER TABLE ${kind}_flush ADD COLUMN ids bytea NOT NULL`);
      await runner.query(`ALTER TABLE ${kind}_flush ALTER COLUMN ids SET STORAGE EXTERNAL`);
    }
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
