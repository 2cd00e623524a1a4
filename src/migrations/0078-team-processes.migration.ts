import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The event types that the projections of a role handle, by version: an older version may still run elsewhere. */
const READS = `
  CREATE TABLE team_reads (
    role       text    NOT NULL,
    projection text    NOT NULL,
    version    integer NOT NULL,
    types      text[]  NOT NULL,
    PRIMARY KEY (role, projection, version)
  )`;

/** How often the process of a projection ended by itself, and why it did the last time. */
const PROCESSES = `
  CREATE TABLE team_process (
    projection text        PRIMARY KEY,
    package    text        NOT NULL,
    ends       integer     NOT NULL,
    ended_at   timestamptz NOT NULL,
    reason     text        NOT NULL,
    is_down    boolean     NOT NULL
  )`;

/** Runs with the rights of the service, and sees no table but those of the service. */
const AS_SERVICE = 'SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp';

/** Skips of events concern every projection. */
const TYPES = `
  CREATE FUNCTION team_types() RETURNS text[] LANGUAGE sql STABLE ${AS_SERVICE} AS $$
    SELECT coalesce(array_agg(DISTINCT type), '{}') || '{EventVoided,ProjectionEventSkipped}'
    FROM team_reads, unnest(types) AS type WHERE role = session_user
  $$`;

/** A page of the log. Of an event that the role does not handle it has the position and the id, which make the checkpoint, and nothing else. */
const PAGE = `
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
  END $$`;

/** The handled events of one scope, of these types (null: all); a page ends after the event that reaches this many bytes of data. */
const SCOPE = `
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
  END $$`;

const HEAD = `CREATE FUNCTION team_log_head() RETURNS bigint LANGUAGE sql STABLE ${AS_SERVICE} AS 'SELECT max(n) FROM log'`;
const AT = `CREATE FUNCTION team_log_at(instant timestamptz) RETURNS bigint LANGUAGE sql STABLE ${AS_SERVICE} AS 'SELECT log_at(instant)'`;

/** Whether the log holds this event: the last one of a batch may have been lost in a failover. */
const HOLDS = `
  CREATE FUNCTION log_holds(of_n bigint, of_id uuid) RETURNS boolean LANGUAGE sql STABLE ${AS_SERVICE} AS
    'SELECT EXISTS (SELECT FROM log WHERE n = of_n AND id = of_id)'`;

/** Of a schema that belongs to the caller. */
const UNPARK = `
  CREATE FUNCTION unpark(of_schema text, of_view text, of_key text) RETURNS void LANGUAGE sql ${AS_SERVICE} AS $$
    DELETE FROM projection_parked WHERE schema = of_schema AND view = of_view AND key = of_key
      AND (SELECT pg_has_role(session_user, nspowner, 'MEMBER') FROM pg_namespace WHERE nspname = of_schema)
  $$`;

/** The channel of wake-ups: with a name that a team does not know, its SQL cannot send any. */
const CHANNEL = `CREATE TABLE wake_channel (name text PRIMARY KEY)`;

/** The processes of team packages: what they may read of the log, and how they ended. */
export class IsolateTeamProcesses1700000078000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [READS, PROCESSES, TYPES, PAGE, SCOPE, HEAD, AT, HOLDS, UNPARK, CHANNEL]) await runner.query(statement);
    for (const name of [
      'team_types()',
      'team_log(bigint, bigint, bigint)',
      'team_log_of_scope(text, bigint, bigint, bigint, text[], bigint)',
    ])
      await runner.query(`REVOKE EXECUTE ON FUNCTION ${name} FROM PUBLIC`);
    await runner.query(`INSERT INTO wake_channel VALUES ('watchledger_' || replace(gen_random_uuid()::text, '-', ''))`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
