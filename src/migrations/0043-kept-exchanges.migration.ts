import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The request and the answer behind each verdict and finding, content-addressed by the hash in the event. The page is stored once, by its own hash. */
export class CreateKeptExchanges1700000043000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE kept_exchange (
        project_id bytea  NOT NULL,
        sha256     bytea  NOT NULL,
        at         bigint NOT NULL,
        page       bytea,
        packed     bytea  NOT NULL,
        PRIMARY KEY (project_id, sha256)
      )`);
    await runner.query(`ALTER TABLE kept_exchange ALTER COLUMN packed SET STORAGE EXTERNAL`);
    await runner.query(`CREATE INDEX kept_exchange_by_age ON kept_exchange (at)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
