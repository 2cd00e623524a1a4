export const HISTORY_TABLES = `
  -- Reads of the record per reader, kind and day, until their events are appended.
  CREATE TABLE record_access (
    -- Empty where they concern no one project.
    project_id text        NOT NULL,
    token_id   text        NOT NULL,
    kind       text        NOT NULL,
    day        date        NOT NULL,
    actor_kind text        NOT NULL,
    actor_id   text        NOT NULL,
    reads      bigint      NOT NULL,
    first_at   timestamptz NOT NULL,
    last_at    timestamptz NOT NULL,
    recorded   boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (project_id, token_id, kind, day)
  );
  CREATE INDEX record_access_by_day ON record_access (day);
  CREATE INDEX record_access_unrecorded ON record_access (day) WHERE NOT recorded;
`;
