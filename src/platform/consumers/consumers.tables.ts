export const CONSUMER_TABLES = `
  -- How far each consumer of the log has come: process managers and the reactors of teams. A consumer runs in one instance at a time, under the lease of its name.
  CREATE TABLE consumer (
    name     text        PRIMARY KEY,
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

  -- A database of before, in which each kind of consumer had tables of its own.
  DO $$ BEGIN
    IF to_regclass('notifier_checkpoint') IS NULL THEN RETURN; END IF;
    INSERT INTO consumer (name, n) SELECT 'notifier', n FROM notifier_checkpoint UNION ALL SELECT name, n FROM process_checkpoint;
    INSERT INTO consumer (name, package, n, event_id, paused, error, moved_at)
      SELECT 'reactor ' || name, package, n, event_id, paused, error, moved_at FROM team_reactor;
    INSERT INTO consumer_parked (consumer, scope, n, event_id, type, error, waiting, parked_at, retry_at)
      SELECT DISTINCT ON (s.scope) 'notifier', s.scope, s.n, log.id, log.type, 'its recipients could not be read',
        count(*) OVER (PARTITION BY s.scope), s.since, now()
      FROM notifier_set_aside s JOIN log ON log.n = s.n ORDER BY s.scope, s.n;
    INSERT INTO consumer_parked (consumer, scope, n, event_id, type, error, attempts, parked_at, retry_at)
      SELECT 'reactor ' || reactor, scope, n, event_id, type, error, attempts, parked_at, retry_at FROM team_reactor_parked;
    DROP TABLE notifier_checkpoint, process_checkpoint, notifier_set_aside, team_reactor_parked, team_reactor;
  END $$;
`;
