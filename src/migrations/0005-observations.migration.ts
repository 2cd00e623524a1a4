import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Measurements: flushed for many projects at once, then compacted per project and hour, partitioned by UTC day (`DayPartitions`). */
export class CreateObservations1700000005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const kind of ['sample', 'run']) {
      await runner.query(`
        CREATE TABLE ${kind}_flush (
          id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          slot       smallint    NOT NULL,
          first_at   bigint      NOT NULL,
          last_at    bigint      NOT NULL,
          flushed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
          packed     bytea       NOT NULL
        ) WITH (autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 8160)`);
      await runner.query(`CREATE INDEX ${kind}_flush_by_slot ON ${kind}_flush (slot, id)`);
      // Hours since the Unix epoch.
      await runner.query(`
        CREATE TABLE ${kind}_hour (
          project_id bytea   NOT NULL,
          hour       integer NOT NULL,
          packed     bytea   NOT NULL,
          PRIMARY KEY (project_id, hour)
        ) PARTITION BY RANGE (hour)`);
      // Packed bytes do not compress again.
      for (const table of [`${kind}_flush`, `${kind}_hour`])
        await runner.query(`ALTER TABLE ${table} ALTER COLUMN packed SET STORAGE EXTERNAL`);
    }
    await runner.query(`
      CREATE TABLE closed_book (
        project_id bytea   NOT NULL,
        day        date    NOT NULL,
        sha256     bytea   NOT NULL,
        buckets    bytea,
        PRIMARY KEY (project_id, day)
      )`);
    await runner.query(`ALTER TABLE closed_book ALTER COLUMN buckets SET STORAGE EXTERNAL`);
    await runner.query(`
      CREATE TABLE latest_run (
        check_id   bytea  PRIMARY KEY,
        project_id bytea  NOT NULL,
        at         bigint NOT NULL,
        whole      bytea  NOT NULL
      ) WITH (fillfactor = 70)`);
    await runner.query(`CREATE INDEX latest_run_by_project ON latest_run (project_id)`);
    await runner.query(`
      CREATE TABLE job_run (
        job_id   bytea  NOT NULL,
        check_id bytea  NOT NULL,
        at       bigint NOT NULL,
        whole    bytea  NOT NULL,
        PRIMARY KEY (job_id, check_id)
      )`);
    await runner.query(`CREATE INDEX job_run_by_age ON job_run (at)`);
    await runner.query(`
      CREATE TABLE latest_look (
        project_id bytea  NOT NULL,
        kind       text   NOT NULL,
        at         bigint NOT NULL,
        url        text   NOT NULL,
        final_url  text,
        PRIMARY KEY (project_id, kind)
      ) WITH (fillfactor = 70)`);
    await runner.query(`
      CREATE TABLE kept_page (
        sha256  bytea       PRIMARY KEY,
        kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        size    integer     NOT NULL,
        packed  bytea       NOT NULL
      )`);
    await runner.query(`ALTER TABLE kept_page ALTER COLUMN packed SET STORAGE EXTERNAL`);
    await runner.query(`CREATE INDEX kept_page_by_age ON kept_page (kept_at)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
