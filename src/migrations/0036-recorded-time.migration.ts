import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ADVISORY_LOCKS } from '../persistence/advisory-locks.ts';

/**
 * As before (0001-log.migration.ts); both functions also answer when the first event was recorded, so that the appending process knows its events as the log
 * holds them. The result of a function can be changed only by creating it anew.
 */
const DROPS = [
  `DROP FUNCTION append_events(text[], bigint[], int[], int[], bigint[], uuid[], text[], smallint[], text[], text, text)`,
  `DROP FUNCTION append_one(text, bigint, uuid, text, smallint, text, text, text)`,
];

const APPEND = `
  CREATE FUNCTION append_events(
    streams text[], expected bigint[], sizes int[],
    owners int[], revisions bigint[], ids uuid[], types text[], versions smallint[], scopes text[], data text, meta text,
    OUT head bigint, OUT actual bigint[], OUT repeated bigint[], OUT moment timestamptz
  ) LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
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

/** `n` is null when the stream has another revision. */
const APPEND_ONE = `
  CREATE FUNCTION append_one(
    to_stream text, expected bigint, event uuid, of_type text, of_version smallint, in_scope text, data text, meta text,
    OUT n bigint, OUT moment timestamptz
  ) LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    head bigint;
    last timestamptz;
    actual bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(${String(ADVISORY_LOCKS.append)});

    SELECT l.n, l.recorded_at INTO head, last FROM log l ORDER BY l.n DESC LIMIT 1;
    SELECT l.revision INTO actual FROM log l WHERE l.stream = to_stream ORDER BY l.revision DESC LIMIT 1;
    IF coalesce(actual, -1) <> expected THEN RETURN; END IF;

    n := coalesce(head, -1) + 1;
    moment := greatest(clock_timestamp(), last + interval '1 microsecond');
    INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
    VALUES (n, n::text, event, to_stream, expected + 1, of_type, of_version, in_scope, moment, data, meta);
  END $$`;

export class AnswerRecordedTime1700000036000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...DROPS, APPEND, APPEND_ONE]) await runner.query(statement);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
