import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Bodies of kept pages may be outside of the database (`KEPT_PAGES`), in objects of their own: `body` names one, `stored` is its size. */
export class StorePageBodies1700000082000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE kept_page ALTER COLUMN packed DROP NOT NULL, ADD COLUMN body text, ADD COLUMN stored integer');
    // Objects that no page names: not yet, because they are being written, or no more.
    await runner.query(`
      CREATE TABLE page_body_orphan (
        name  text        PRIMARY KEY,
        since timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
