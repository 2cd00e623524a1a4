export const STREAM_TABLES = `
  -- Subscriptions of accounts to the log, and the events that their consumers parked.
  CREATE TABLE subscription (
    user_id       integer     NOT NULL,
    name          text        NOT NULL,
    types         text[]      NOT NULL,
    scopes        text[],
    reach         text        NOT NULL,
    partition_by  text        NOT NULL,
    max_in_flight integer     NOT NULL,
    ack_seconds   integer     NOT NULL,
    position      bigint      NOT NULL,
    state         text        NOT NULL,
    -- Optimistic concurrency; it begins with the time, so that one that is made again under its name continues above the former.
    version       bigint      NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    created_at    timestamptz NOT NULL DEFAULT now(),
    saved_at      timestamptz NOT NULL DEFAULT now(),
    -- The project of the service account that owns it.
    project_id    text,
    PRIMARY KEY (user_id, name)
  );
  CREATE TABLE subscription_parked (
    user_id   integer     NOT NULL,
    name      text        NOT NULL,
    n         bigint      NOT NULL,
    attempts  integer     NOT NULL,
    consumer  text        NOT NULL,
    reason    text        NOT NULL,
    parked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, name, n),
    FOREIGN KEY (user_id, name) REFERENCES subscription ON DELETE CASCADE
  );

  -- How far events were pushed to destinations. The log itself is the outbox: nothing of it is copied.
  CREATE TABLE destination_partition (
    destination_id text        NOT NULL,
    -- Events are in order within a scope: a project, an account or the system.
    scope          text        NOT NULL,
    -- Everything of the scope up to it was pushed, or is not to be pushed.
    position       bigint      NOT NULL,
    -- The last event of the scope to push that a scan has found; only a destination of the installation scans the log.
    latest         bigint      NOT NULL,
    -- Positions of the last replay, and of the last event of any kind that changed this row; 0: none.
    replay         bigint      NOT NULL,
    control        bigint      NOT NULL,
    -- The last position of the batch that failed: its retry has the same events.
    batch_end      bigint,
    attempts       integer     NOT NULL DEFAULT 0,
    failing_since  timestamptz,
    next_try       timestamptz,
    give_up_at     timestamptz,
    parked_at      timestamptz,
    last_answer    text,
    last_answer_at timestamptz,
    -- The checkpoint of the seal in the last batch, which the proof in the next one begins at.
    seal_origin    text,
    seal_size      bigint,
    PRIMARY KEY (destination_id, scope)
  );
  CREATE INDEX destination_partition_failing ON destination_partition (destination_id, scope) WHERE attempts > 0;
  -- How far the log was scanned for scopes that have something to push to a destination of the installation.
  CREATE TABLE destination_scan (
    destination_id text   PRIMARY KEY,
    scanned        bigint NOT NULL,
    replay         bigint NOT NULL
  );
`;
