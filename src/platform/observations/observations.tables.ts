import type { Migration } from '../postgres/migrations/migrate.ts';

const SUMMARY = `
    -- What the list of sites shows of the hour (hour-summary.ts). Null in rows of a former version: their samples are read.
    summary    bytea,`;

/** Measurements: flushed for many projects at once, then compacted per project and hour, partitioned by UTC day (`DayPartitions`). */
const measured = (kind: 'sample' | 'run'): string => `
  CREATE TABLE ${kind}_flush (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slot       smallint    NOT NULL,
    first_at   bigint      NOT NULL,
    last_at    bigint      NOT NULL,
    flushed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    packed     bytea       NOT NULL,
    -- The ids of its projects, so that a reader finds its rows by them and unpacks no others.
    ids        bytea       NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 8160);
  CREATE INDEX ${kind}_flush_by_slot ON ${kind}_flush (slot, id);
  CREATE TABLE ${kind}_hour (
    project_id bytea   NOT NULL,
    -- Since the Unix epoch.
    hour       integer NOT NULL,
    packed     bytea   NOT NULL,${kind === 'sample' ? SUMMARY : ''}
    PRIMARY KEY (project_id, hour)
  ) PARTITION BY RANGE (hour);
  -- Packed bytes do not compress again.
  ALTER TABLE ${kind}_flush ALTER COLUMN packed SET STORAGE EXTERNAL, ALTER COLUMN ids SET STORAGE EXTERNAL;
  ALTER TABLE ${kind}_hour ALTER COLUMN packed SET STORAGE EXTERNAL;
`;

/** The tables that each schema has (`ObservationSchemas`). */
const OBSERVATION_TABLES = `
  ${measured('sample')}
  ${measured('run')}
  CREATE TABLE closed_book (
    project_id bytea   NOT NULL,
    day        date    NOT NULL,
    sha256     bytea   NOT NULL,
    buckets    bytea,
    PRIMARY KEY (project_id, day)
  );
  ALTER TABLE closed_book ALTER COLUMN buckets SET STORAGE EXTERNAL;

  CREATE TABLE latest_run (
    check_id   bytea   PRIMARY KEY,
    project_id bytea   NOT NULL,
    at         bigint  NOT NULL,
    whole      bytea   NOT NULL,
    -- What the passing runs of a check show about the end of its page (docs/spec/decisions.md#T20): each of them ended with </html>; null is unknown, and
    -- fails nothing. That holds for what was requested, of which this is the hash.
    requested  bytea,
    ends       boolean
  ) WITH (fillfactor = 70);
  CREATE INDEX latest_run_by_project ON latest_run (project_id);
  CREATE TABLE job_run (
    job_id   bytea  NOT NULL,
    check_id bytea  NOT NULL,
    at       bigint NOT NULL,
    whole    bytea  NOT NULL,
    PRIMARY KEY (job_id, check_id)
  );
  CREATE INDEX job_run_by_age ON job_run (at);
  CREATE TABLE latest_look (
    project_id bytea  NOT NULL,
    kind       text   NOT NULL,
    at         bigint NOT NULL,
    url        text   NOT NULL,
    final_url  text,
    PRIMARY KEY (project_id, kind)
  ) WITH (fillfactor = 70);

  -- Bodies of pages may be outside of the database (KEPT_PAGES), in objects of their own: body names one, stored is its size.
  CREATE TABLE kept_page (
    sha256  bytea       PRIMARY KEY,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    size    integer     NOT NULL,
    packed  bytea,
    body    text,
    stored  integer
  );
  ALTER TABLE kept_page ALTER COLUMN packed SET STORAGE EXTERNAL;
  CREATE INDEX kept_page_by_age ON kept_page (kept_at);
  -- Objects that no page names: not yet, because they are being written, or no more.
  CREATE TABLE page_body_orphan (
    name  text        PRIMARY KEY,
    since timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  -- The response of a kept page without its body: status line, headers, URL. The body is stored once, by its hash.
  CREATE TABLE kept_answer (
    check_id bytea  NOT NULL,
    at       bigint NOT NULL,
    page     bytea  NOT NULL,
    head     bytea  NOT NULL,
    -- So that the last page that passed is found without reading runs; null is unknown.
    passed   boolean,
    PRIMARY KEY (check_id, at)
  );
  ALTER TABLE kept_answer ALTER COLUMN head SET STORAGE EXTERNAL;
  CREATE INDEX kept_answer_by_age ON kept_answer (at);
  -- The request and the answer behind each verdict and finding, content-addressed by the hash in the event. The page is stored once, by its own hash.
  CREATE TABLE kept_exchange (
    project_id bytea  NOT NULL,
    sha256     bytea  NOT NULL,
    at         bigint NOT NULL,
    page       bytea,
    packed     bytea  NOT NULL,
    PRIMARY KEY (project_id, sha256)
  );
  ALTER TABLE kept_exchange ALTER COLUMN packed SET STORAGE EXTERNAL;
  CREATE INDEX kept_exchange_by_age ON kept_exchange (at);
  -- The markup of saved sign-in forms, content-addressed and sealed: it is only shown, so events hold its hash and length.
  CREATE TABLE form_html (
    area_id    bytea       NOT NULL,
    sha256     bytea       NOT NULL,
    project_id bytea       NOT NULL,
    at         bigint      NOT NULL,
    sealed     text        NOT NULL,
    PRIMARY KEY (area_id, sha256)
  );
  CREATE INDEX form_html_by_project ON form_html (project_id);

  -- Which epoch of each shard's lease may store observations; raised by its owner (ObservationFences). A new epoch changes a unique key, so it waits for
  -- writers that hold the row FOR KEY SHARE.
  CREATE TABLE observation_fence (
    name  text   PRIMARY KEY,
    epoch bigint NOT NULL,
    UNIQUE (name, epoch)
  ) WITH (fillfactor = 50);
`;

/** Which installation the observations of a database belong to, and, in the database of the log, where they are, once they were moved (`watchledger observations move`). */
const OBSERVATION_HOME_TABLES = `
  CREATE TABLE observation_home (
    singleton    boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    installation text    NOT NULL
  );
  CREATE TABLE observations_moved (
    singleton boolean     PRIMARY KEY DEFAULT true CHECK (singleton),
    moved_to  text        NOT NULL,
    done      boolean     NOT NULL,
    at        timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  -- The days that are copied completely, so that an interrupted move does not copy them again.
  CREATE TABLE observation_copy (day text PRIMARY KEY);
`;

/** Migrations of the tables that each schema of observations has (`ObservationSchemas`). */
export const schemaMigrations: readonly Migration[] = [{ name: 'Observations1700000013000', sql: OBSERVATION_TABLES }];
/** Migrations of the tables that say whose observations these are, which a database has once. */
export const homeMigrations: readonly Migration[] = [{ name: 'ObservationHome1700000014000', sql: OBSERVATION_HOME_TABLES }];
