/** Runs with the rights of the service, and sees no table but those of the service. */
const AS_SERVICE = 'SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp';

export const TEAM_TABLES = `
  -- The event types that the projections of a role handle, by version: an older version may still run elsewhere.
  CREATE TABLE team_reads (
    role       text    NOT NULL,
    projection text    NOT NULL,
    version    integer NOT NULL,
    types      text[]  NOT NULL,
    PRIMARY KEY (role, projection, version)
  );

  -- How often the process of a projection ended by itself, and why it did the last time.
  CREATE TABLE team_process (
    projection text        PRIMARY KEY,
    package    text        NOT NULL,
    ends       integer     NOT NULL,
    ended_at   timestamptz NOT NULL,
    reason     text        NOT NULL,
    is_down    boolean     NOT NULL
  );

  -- Skips of events concern every projection.
  CREATE FUNCTION team_types() RETURNS text[] LANGUAGE sql STABLE ${AS_SERVICE} AS $$
    SELECT coalesce(array_agg(DISTINCT type), '{}') || '{EventVoided,ProjectionEventSkipped}'
    FROM team_reads, unnest(types) AS type WHERE role = session_user
  $$;

  -- A page of the log. Of an event that the role does not handle it has the position and the id, which make the checkpoint, and nothing else.
  CREATE FUNCTION team_log(after bigint, until bigint, most bigint) RETURNS SETOF log LANGUAGE plpgsql STABLE ${AS_SERVICE} AS $$
  DECLARE
    wanted text[] := team_types();
  BEGIN
    RETURN QUERY
      SELECT l.n, ''::text, l.id, CASE WHEN l.handled THEN l.stream ELSE '' END, CASE WHEN l.handled THEN l.revision ELSE 0 END,
        CASE WHEN l.handled THEN l.type ELSE '' END, CASE WHEN l.handled THEN l.version ELSE 0::smallint END,
        CASE WHEN l.handled THEN l.scope ELSE '' END, l.recorded_at,
        CASE WHEN l.handled THEN l.data ELSE '{}' END, CASE WHEN l.handled THEN l.meta ELSE '{}' END
      FROM (SELECT *, log.type = ANY (wanted) AS handled FROM log WHERE log.n > after AND log.n <= until ORDER BY log.n LIMIT most) AS l
      ORDER BY l.n;
  END $$;

  -- The handled events of one scope, of these types (null: all); a page ends after the event that reaches this many bytes of data.
  CREATE FUNCTION team_log_of_scope(of_scope text, after bigint, until bigint, most bigint, of_types text[], bytes bigint)
    RETURNS SETOF log LANGUAGE plpgsql STABLE ${AS_SERVICE} AS $$
  DECLARE
    wanted text[] := ARRAY(SELECT unnest(team_types()) INTERSECT SELECT unnest(coalesce(of_types, team_types())));
  BEGIN
    RETURN QUERY
      SELECT s.n, ''::text, s.id, s.stream, s.revision, s.type, s.version, s.scope, s.recorded_at, s.data, s.meta
      FROM (
        SELECT page.*, sum(octet_length(page.data)) OVER (ORDER BY page.n ROWS UNBOUNDED PRECEDING) - octet_length(page.data) AS bytes_before
        FROM (
          SELECT found.* FROM unnest(wanted) AS one(type) CROSS JOIN LATERAL (
            SELECT * FROM log WHERE log.scope = of_scope AND log.type = one.type
              AND (hashtextextended(log.type, hashtextextended(log.scope, 0)), log.n) > (hashtextextended(one.type, hashtextextended(of_scope, 0)), after)
              AND (hashtextextended(log.type, hashtextextended(log.scope, 0)), log.n) <= (hashtextextended(one.type, hashtextextended(of_scope, 0)), until)
            ORDER BY hashtextextended(log.type, hashtextextended(log.scope, 0)), log.n LIMIT most
          ) AS found ORDER BY found.n LIMIT most
        ) AS page
      ) AS s
      WHERE bytes IS NULL OR s.bytes_before < bytes ORDER BY s.n;
  END $$;

  CREATE FUNCTION team_log_head() RETURNS bigint LANGUAGE sql STABLE ${AS_SERVICE} AS 'SELECT max(n) FROM log';
  CREATE FUNCTION team_log_at(instant timestamptz) RETURNS bigint LANGUAGE sql STABLE ${AS_SERVICE} AS 'SELECT log_at(instant)';

  -- Forgets a parked key of a schema that belongs to the caller.
  CREATE FUNCTION unpark(of_schema text, of_view text, of_key text) RETURNS void LANGUAGE sql ${AS_SERVICE} AS $$
    DELETE FROM projection_parked WHERE schema = of_schema AND view = of_view AND key = of_key
      AND (SELECT pg_has_role(session_user, nspowner, 'MEMBER') FROM pg_namespace WHERE nspname = of_schema)
  $$;

  REVOKE EXECUTE ON FUNCTION team_types() FROM PUBLIC;
  REVOKE EXECUTE ON FUNCTION team_log(bigint, bigint, bigint) FROM PUBLIC;
  REVOKE EXECUTE ON FUNCTION team_log_of_scope(text, bigint, bigint, bigint, text[], bigint) FROM PUBLIC;
`;
