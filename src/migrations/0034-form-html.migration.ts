import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The markup of saved sign-in forms, content-addressed and sealed: it is only shown, so events hold its hash and length. */
export class CreateFormHtml1700000034000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE form_html (
        area_id    bytea       NOT NULL,
        sha256     bytea       NOT NULL,
        project_id bytea       NOT NULL,
        at         bigint      NOT NULL,
        sealed     text        NOT NULL,
        PRIMARY KEY (area_id, sha256)
      )`);
    await runner.query(`CREATE INDEX form_html_by_project ON form_html (project_id)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
