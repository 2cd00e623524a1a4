export const CONSUMER_TABLES = `
  -- How far each consumer of the log has come: process managers and the reactors of teams. A consumer runs in one instance at a time, under the lease of its name.
  CREATE TABLE consumer (
    name     text        PRIMARY KEY,
    -- What it does, for operators.
    about    text        NOT NULL,
    -- The package of a reactor; null for a process manager.
    package  text,
    n        bigint      NOT NULL,
    event_id uuid,
    paused   boolean     NOT NULL DEFAULT false,
    error    text,
    moved_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50);

  -- Dead letters: partitions that wait behind an event which their consumer could not handle. Their later events wait in the log.
  CREATE TABLE consumer_parked (
    consumer  text        NOT NULL REFERENCES consumer ON DELETE CASCADE,
    scope     text        NOT NULL,
    n         bigint      NOT NULL,
    event_id  uuid        NOT NULL,
    type      text        NOT NULL,
    error     text        NOT NULL,
    -- Events that wait, the parked one included; counted by transactional consumers.
    waiting   integer     NOT NULL DEFAULT 1,
    attempts  integer     NOT NULL DEFAULT 1,
    parked_at timestamptz NOT NULL DEFAULT now(),
    -- When it is tried again; null when an operator decides.
    retry_at  timestamptz,
    PRIMARY KEY (consumer, scope)
  );
`;
