import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateLedger1700000009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row. The origin is fixed at the first start, because checkpoints carry it.
    await runner.query(`
      CREATE TABLE ledger_state (
        singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        origin     text    NOT NULL,
        size       bigint  NOT NULL DEFAULT 0,
        generation integer NOT NULL DEFAULT 0,
        stopped    text
      )`);
    await runner.query(`
      CREATE TABLE ledger_tile (
        level      smallint NOT NULL,
        tile_index bigint   NOT NULL,
        hashes     bytea    NOT NULL,
        PRIMARY KEY (level, tile_index)
      )`);
    // EXTERNAL: hashes do not compress, and prefixes of tiles are read often.
    await runner.query(`ALTER TABLE ledger_tile ALTER COLUMN hashes SET STORAGE EXTERNAL`);
    await runner.query(`
      CREATE TABLE ledger_checkpoint (
        number       bigint      PRIMARY KEY,
        generation   integer     NOT NULL,
        size         bigint      NOT NULL,
        root         bytea       NOT NULL,
        note         text        NOT NULL,
        signed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
        witnessed_at timestamptz
      )`);
    await runner.query(`
      CREATE TABLE ledger_key (
        number       integer     PRIMARY KEY,
        verifier_key text        NOT NULL UNIQUE,
        wrapped      bytea,
        added_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
        retired_at   timestamptz
      )`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
