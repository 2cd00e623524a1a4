import { ADVISORY_LOCKS } from '../postgres/advisory-locks.ts';

export const LOG_TABLES = `
  -- data and meta hold the JSON as it was written, as text: the database never parses them, and a batch is read as one text.
  -- Names contain no character that JSON escapes, so that they occur in that text unchanged.
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
  );

  CREATE INDEX log_by_scope ON log (scope, n);
  -- Finds the later events of a correlation chain. The first event of a chain is found by its id, which is the correlation id, so that single events, the
  -- most common ones, need no index entry. A text search is exact: quotes inside a JSON value are escaped.
  CREATE INDEX log_by_chain ON log (substring(meta from '"correlationId":"([^"]+)"')) WHERE meta NOT LIKE '%"causationId":null%';
  -- Filters of the history, newest first or oldest first, over everything and within one project. Within a project by a hash of 8 bytes: scope and type as
  -- text would take 50. LogSearcher repeats these expressions literally. 150 bytes an event in all.
  CREATE INDEX log_by_type ON log (type, n);
  CREATE INDEX log_by_actor ON log ((meta::json -> 'actor' ->> 'id'), n);
  CREATE INDEX log_by_scope_type ON log (hashtextextended(type, hashtextextended(scope, 0)), n);
  CREATE INDEX log_by_scope_actor ON log (hashtextextended(meta::json -> 'actor' ->> 'id', hashtextextended(scope, 0)), n);
  -- Finds the events of an apply of site files by the commit of the files. No other event has an entry.
  CREATE INDEX log_by_commit ON log (scope, substring(meta from '"commit":"([0-9a-f]+)"') text_pattern_ops, n) WHERE meta LIKE '%"apply":{%';

  -- Group commit with optimistic concurrency: many appends in one call, each accepted or refused by itself. The advisory lock is taken before anything is
  -- read, and each statement sees what the previous holder committed, because the function is volatile. Accepted events get gapless positions after head,
  -- and moment is when the first of them was recorded. For refused appends it answers the actual revision and, when exactly these events are already in the
  -- log, their position (null for a conflict). Generic plans: planning at each call costs twice as much as execution.
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
  END $$;

  -- Appends a single event, the most common append, in half the time of append_events. n is null when the stream has another revision, which append_events
  -- then resolves.
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
  END $$;

  -- Binary search: recorded_at grows with n, and n has no gaps, so no index has to be maintained at every append.
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
  END $$;

  -- States of deciders after an event of their stream, as deflated JSON; derived from the log (src/platform/commands/snapshots). Personal values in it are sealed, as
  -- in the events: destroying a key makes them unreadable here, too.
  CREATE TABLE stream_snapshot (
    stream     text   COLLATE "C" NOT NULL,
    fold       text   COLLATE "C" NOT NULL,
    version    text   NOT NULL,
    revision   bigint NOT NULL,
    event_id   uuid   NOT NULL,
    event_hash bytea  NOT NULL,
    state      bytea  NOT NULL,
    PRIMARY KEY (stream, fold)
  );
  -- It is compressed already.
  ALTER TABLE stream_snapshot ALTER COLUMN state SET STORAGE EXTERNAL;
`;
