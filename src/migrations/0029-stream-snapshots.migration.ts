import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * States of deciders after an event of their stream, as deflated JSON; derived from the log (src/commands/snapshots). Personal values in it are sealed, as in
 * the events: destroying a key makes them unreadable here, too.
 */
export class CreateStreamSnapshots1700000029000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE stream_snapshot (
        stream     text   COLLATE "C" NOT NULL,
        fold       text   COLLATE "C" NOT NULL,
        version    text   NOT NULL,
        revision   bigint NOT NULL,
        event_id   uuid   NOT NULL,
        event_hash bytea  NOT NULL,
        state      bytea  NOT NULL,
        PRIMARY KEY (stream, fold)
      )`);
    // It is compressed already.
    await runner.query('ALTER TABLE stream_snapshot ALTER COLUMN state SET STORAGE EXTERNAL');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
