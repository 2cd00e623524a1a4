import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The response of a kept page without its body: status line, headers, URL. The body is stored once, by its hash. */
export class CreateKeptAnswers1700000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE kept_answer (
        check_id bytea  NOT NULL,
        at       bigint NOT NULL,
        page     bytea  NOT NULL,
        head     bytea  NOT NULL,
        PRIMARY KEY (check_id, at)
      )`);
    await runner.query(`ALTER TABLE kept_answer ALTER COLUMN head SET STORAGE EXTERNAL`);
    await runner.query(`CREATE INDEX kept_answer_by_age ON kept_answer (at)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
