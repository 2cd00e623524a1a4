import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ADVISORY_LOCKS } from '../persistence/advisory-locks.ts';

/**
 * `data` and `meta` are the JSON as it was written, in `text`: the database never looks inside, and a batch leaves it as one text.
 * Names hold nothing that JSON would escape, so that they stand in that text as they are.
 */
const LOG = `
  CREATE TABLE log (
    n               bigint      PRIMARY KEY,
    source_position text        NOT NULL,
    id              uuid        NOT NULL UNIQUE,
    stream          text        COLLATE "C" NOT NULL,
    revision        bigint      NOT NULL,
    type            text        COLLATE "C" NOT NULL,
    version         smallint    NOT NULL,
    scope           text        COLLATE "C" NOT NULL,
    recorded_at     timestamptz NOT NULL,
    data            text        NOT NULL,
    meta            text        NOT NULL,
    UNIQUE (stream, revision),
    CHECK (stream || type || scope !~ '["\\\\[:cntrl:]]')
  )`;

const LOG_BY_SCOPE = `CREATE INDEX log_by_scope ON log (scope, n)`;

/**
 * Many appends of one process in one call; each is judged alone. The lock is taken before anything is read, and each statement sees what
 * the lock's last holder committed, because the function is volatile. Accepted events follow each other after `head`. Where not all are:
 * the revision that each stream had, and for those that had gone further, where exactly these events stand already (null: a conflict).
 * Plans are made once: making them anew at each call costs twice what running them does.
 */
const APPEND = `
  CREATE FUNCTION append_events(
    streams text[], expected bigint[], sizes int[],
    owners int[], revisions bigint[], ids uuid[], types text[], versions smallint[], scopes text[], data text, meta text,
    OUT head bigint, OUT actual bigint[], OUT repeated bigint[]
  ) LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    moment timestamptz;
    datas text[] := string_to_array(data, E'\\n');
    metas text[] := string_to_array(meta, E'\\n');
  BEGIN
    PERFORM pg_advisory_xact_lock(${String(ADVISORY_LOCKS.append)});

    SELECT l.n, l.recorded_at INTO head, moment FROM log l ORDER BY l.n DESC LIMIT 1;
    head := coalesce(head, -1);
    moment := greatest(clock_timestamp(), moment + interval '1 microsecond');

    actual := ARRAY(
      SELECT coalesce((SELECT l.revision FROM log l WHERE l.stream = asked.stream ORDER BY l.revision DESC LIMIT 1), -1)
      FROM unnest(streams) WITH ORDINALITY AS asked(stream, place) ORDER BY asked.place);

    IF actual = expected THEN
      actual := NULL;
      INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
      SELECT head + i, (head + i)::text, ids[i], streams[owners[i]], revisions[i], types[i], versions[i], scopes[i],
             moment + (i - 1) * interval '1 microsecond', datas[i], metas[i]
      FROM generate_subscripts(ids, 1) AS i;
      RETURN;
    END IF;

    repeated := ARRAY(
      SELECT (SELECT max(l.n)
              FROM generate_subscripts(ids, 1) AS i
              JOIN log l ON l.stream = streams[asked.place] AND l.revision = revisions[i] AND l.id = ids[i]
              WHERE owners[i] = asked.place AND actual[asked.place] > expected[asked.place]
              HAVING count(*) = sizes[asked.place])
      FROM generate_subscripts(streams, 1) AS asked(place) ORDER BY asked.place);

    INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
    SELECT head + step, (head + step)::text, ids[i], streams[owners[i]], revisions[i], types[i], versions[i], scopes[i],
           moment + (step - 1) * interval '1 microsecond', datas[i], metas[i]
    FROM (SELECT i, row_number() OVER (ORDER BY i) AS step
          FROM generate_subscripts(ids, 1) AS i
          WHERE actual[owners[i]] = expected[owners[i]]) AS accepted;
  END $$`;

/**
 * One event alone, the most common append, when all is as expected: the same in half the time. Null when the stream stands elsewhere, which
 * append_events then judges.
 */
const APPEND_ONE = `
  CREATE FUNCTION append_one(
    to_stream text, expected bigint, event uuid, of_type text, of_version smallint, in_scope text, data text, meta text
  ) RETURNS bigint LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    head bigint;
    moment timestamptz;
    actual bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(${String(ADVISORY_LOCKS.append)});

    SELECT l.n, l.recorded_at INTO head, moment FROM log l ORDER BY l.n DESC LIMIT 1;
    SELECT l.revision INTO actual FROM log l WHERE l.stream = to_stream ORDER BY l.revision DESC LIMIT 1;
    IF coalesce(actual, -1) <> expected THEN RETURN NULL; END IF;

    head := coalesce(head, -1) + 1;
    moment := greatest(clock_timestamp(), moment + interval '1 microsecond');
    INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
    VALUES (head, head::text, event, to_stream, expected + 1, of_type, of_version, in_scope, moment, data, meta);
    RETURN head;
  END $$`;

/** The time grows with \`n\`, and \`n\` has no gaps: halving finds an instant without an index to maintain at every append. */
const LOG_AT = `
  CREATE FUNCTION log_at(instant timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
  DECLARE
    low bigint := -1;
    high bigint := coalesce((SELECT max(l.n) FROM log l), -1);
    middle bigint;
  BEGIN
    WHILE low < high LOOP
      middle := (low + high + 1) / 2;
      IF (SELECT l.recorded_at FROM log l WHERE l.n = middle) <= instant THEN low := middle; ELSE high := middle - 1; END IF;
    END LOOP;
    RETURN low;
  END $$`;

export class CreateLog1700000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [LOG, LOG_BY_SCOPE, APPEND, APPEND_ONE, LOG_AT]) await runner.query(statement);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
