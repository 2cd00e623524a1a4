export const READ_MODEL_TABLES = `
  -- One row per schema of read models. (n, event_id) is its checkpoint, advanced in the transaction that writes the rows; the fill factor allows HOT updates,
  -- because every batch updates the row.
  CREATE TABLE projection (
    schema     text        PRIMARY KEY,
    name       text        NOT NULL,
    version    text        NOT NULL,
    state      text        NOT NULL DEFAULT 'building' CHECK (state IN ('building', 'live', 'failed')),
    paused     boolean     NOT NULL DEFAULT false,
    rebuild    boolean     NOT NULL DEFAULT false,
    n          bigint      NOT NULL DEFAULT -1,
    event_id   uuid,
    moved_at   timestamptz NOT NULL DEFAULT now(),
    total      bigint,
    error      text,
    created_at timestamptz NOT NULL DEFAULT now(),
    live_at    timestamptz
  ) WITH (fillfactor = 50);

  -- Dead letters: parked events, by row of a view or by partition of a set projection.
  CREATE TABLE projection_parked (
    schema     text        NOT NULL REFERENCES projection ON UPDATE CASCADE ON DELETE CASCADE,
    view       text        NOT NULL,
    key        text        NOT NULL,
    scope      text        NOT NULL,
    n          bigint      NOT NULL,
    event_id   uuid        NOT NULL,
    type       text        NOT NULL,
    error      text        NOT NULL,
    attempts   integer     NOT NULL DEFAULT 1,
    retry      boolean     NOT NULL DEFAULT false,
    parked_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (schema, view, key)
  );

  -- Row-level security: the database role of a team's projection sees only the checkpoints and parked events of the schemas that it owns. The owner of the
  -- tables, the service, sees all.
  ALTER TABLE projection ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_schemas ON projection
    USING (schema IN (SELECT nspname FROM pg_namespace WHERE pg_get_userbyid(nspowner) = current_user));
  ALTER TABLE projection_parked ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_schemas ON projection_parked
    USING (schema IN (SELECT nspname FROM pg_namespace WHERE pg_get_userbyid(nspowner) = current_user));

  -- Whether the log holds this event: the last one of a batch may have been lost in a failover. Runs with the rights of the service, and sees no table but
  -- those of the service.
  CREATE FUNCTION log_holds(of_n bigint, of_id uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS
    'SELECT EXISTS (SELECT FROM log WHERE n = of_n AND id = of_id)';

  -- Rows of the views as of every few thousand events of a scope, as deflated JSON; derived from the log (src/platform/read-models/views/scope-snapshots.ts).
  CREATE TABLE as_of_snapshot (
    schema       text   NOT NULL,
    scope        text   COLLATE "C" NOT NULL,
    n            bigint NOT NULL,
    event_id     uuid   NOT NULL,
    voided_until bigint NOT NULL,
    PRIMARY KEY (schema, scope, n)
  );
  CREATE TABLE as_of_rows (
    schema text    NOT NULL,
    scope  text    COLLATE "C" NOT NULL,
    n      bigint  NOT NULL,
    view   text    NOT NULL,
    part   integer NOT NULL,
    rows   bytea   NOT NULL,
    PRIMARY KEY (schema, scope, n, view, part),
    FOREIGN KEY (schema, scope, n) REFERENCES as_of_snapshot ON DELETE CASCADE
  );
  -- It is compressed already.
  ALTER TABLE as_of_rows ALTER COLUMN rows SET STORAGE EXTERNAL;
  CREATE TABLE as_of_progress (schema text PRIMARY KEY, n bigint NOT NULL);
`;
