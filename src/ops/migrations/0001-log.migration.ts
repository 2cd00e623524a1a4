import type { MigrationInterface, QueryRunner } from 'typeorm';

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
 * the lock's last holder committed, because the function is volatile. Answers the revision that each stream had, and for those that had
 * gone further, where exactly these events stand already (null: a conflict). Accepted events follow each other after \`head\`.
 */
const APPEND = `
  CREATE FUNCTION append_events(
    streams text[], expected bigint[], sizes int[],
    owners int[], revisions bigint[], ids uuid[], types text[], versions smallint[], scopes text[], data text, meta text,
    OUT head bigint, OUT actual bigint[], OUT repeated bigint[]
  ) LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    moment timestamptz;
  BEGIN
    PERFORM pg_advisory_xact_lock(727002);

    SELECT l.n, l.recorded_at INTO head, moment FROM log l ORDER BY l.n DESC LIMIT 1;
    head := coalesce(head, -1);
    moment := greatest(clock_timestamp(), moment + interval '1 microsecond');

    actual := ARRAY(
      SELECT coalesce((SELECT l.revision FROM log l WHERE l.stream = asked.stream ORDER BY l.revision DESC LIMIT 1), -1)
      FROM unnest(streams) WITH ORDINALITY AS asked(stream, place) ORDER BY asked.place);

    IF actual <> expected THEN
      repeated := ARRAY(
        SELECT (SELECT max(l.n)
                FROM unnest(owners, revisions, ids) AS e(owner, revision, id)
                JOIN log l ON l.stream = streams[asked.place] AND l.revision = e.revision AND l.id = e.id
                WHERE e.owner = asked.place AND actual[asked.place] > expected[asked.place]
                HAVING count(*) = sizes[asked.place])
        FROM generate_subscripts(streams, 1) AS asked(place) ORDER BY asked.place);
    END IF;

    INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
    SELECT head + e.step, (head + e.step)::text, e.id, streams[e.owner], e.revision, e.type, e.version, e.scope,
           moment + (e.step - 1) * interval '1 microsecond', e.data, e.meta
    FROM (SELECT row_number() OVER (ORDER BY given.place) AS step, given.*
          FROM unnest(owners, revisions, ids, types, versions, scopes, string_to_array(data, E'\\n'), string_to_array(meta, E'\\n'))
               WITH ORDINALITY AS given(owner, revision, id, type, version, scope, data, meta, place)
          WHERE actual[given.owner] = expected[given.owner]) AS e;
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
    for (const statement of [LOG, LOG_BY_SCOPE, APPEND, LOG_AT]) await runner.query(statement);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
