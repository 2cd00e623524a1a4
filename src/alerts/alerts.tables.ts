export const ALERT_TABLES = `
  -- A notifiable failure, from its first event until its recovery.
  CREATE TABLE notification_episode (
    subject    text   PRIMARY KEY,
    project_id text   NOT NULL,
    episode    uuid   NOT NULL
  );
  CREATE INDEX notification_episode_by_project ON notification_episode (project_id);

  -- The transactional outbox. A report covers several projects: its project id is empty here and below.
  CREATE TABLE notification_message (
    id          uuid        PRIMARY KEY,
    project_id  text        NOT NULL,
    user_id     integer     NOT NULL,
    channel     text        NOT NULL,
    kind        text        NOT NULL,
    seq         bigint      NOT NULL,
    state       text        NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'delivered', 'failed')),
    created_at  timestamptz NOT NULL,
    next_try    timestamptz NOT NULL,
    give_up_at  timestamptz NOT NULL,
    attempts    integer     NOT NULL DEFAULT 0,
    last_answer text,
    finished_at timestamptz
  );
  CREATE INDEX notification_message_due ON notification_message (next_try) WHERE state = 'due';
  CREATE INDEX notification_message_of_user ON notification_message (user_id, created_at DESC);
  CREATE INDEX notification_message_recent ON notification_message (user_id, channel, project_id, kind, created_at DESC);
  -- The few messages of a user that wait or failed, among the many that were delivered: GET /account/deliveries?status=.
  CREATE INDEX notification_message_open_of_user ON notification_message (user_id, created_at DESC) WHERE state <> 'delivered';

  -- What each message was until its next change, so that the list of deliveries answers as of any instant (a system-versioned table).
  CREATE TABLE notification_message_past (
    id          uuid        NOT NULL REFERENCES notification_message (id) ON DELETE CASCADE,
    until       timestamptz NOT NULL DEFAULT clock_timestamp(),
    state       text        NOT NULL,
    attempts    integer     NOT NULL,
    last_answer text,
    next_try    timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (id, until)
  );
  CREATE FUNCTION keep_past_message() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO notification_message_past (id, state, attempts, last_answer, next_try, finished_at)
    VALUES (OLD.id, OLD.state, OLD.attempts, OLD.last_answer, OLD.next_try, OLD.finished_at)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER keep_past_message AFTER UPDATE ON notification_message
    FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION keep_past_message();

  CREATE TABLE notification_intent (
    id             uuid        PRIMARY KEY,
    cause_id       uuid        NOT NULL,
    cause_n        bigint      NOT NULL,
    correlation_id uuid        NOT NULL,
    episode        uuid        NOT NULL,
    project_id     text        NOT NULL,
    user_id        integer     NOT NULL,
    channel        text        NOT NULL,
    kind           text        NOT NULL,
    facts          jsonb       NOT NULL,
    due_at         timestamptz NOT NULL,
    state          text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'bundled', 'cancelled')),
    -- A problem whose episode has ended: its recipients get no further messages about it.
    over           boolean     NOT NULL DEFAULT false,
    message_id     uuid        REFERENCES notification_message (id) ON DELETE CASCADE,
    -- The clock at which it was created: a clock that was ahead and is set back then does not delay it.
    made_at        timestamptz,
    UNIQUE (cause_id, episode, user_id, channel)
  );
  CREATE INDEX notification_intent_waiting ON notification_intent (due_at) WHERE state = 'waiting';
  CREATE INDEX notification_intent_of_episode ON notification_intent (episode);
  CREATE INDEX notification_intent_of_message ON notification_intent (message_id);
  CREATE INDEX notification_intent_open ON notification_intent (project_id, user_id) WHERE kind = 'problem' AND NOT over;

  CREATE TABLE report_plan (
    user_id   integer     PRIMARY KEY,
    -- The Monday of the last report, written or skipped; null while no report is enabled.
    last_week date,
    look_at   timestamptz NOT NULL,
    -- Not before the read models have reached this position, which holds the event that changed the plan.
    seen_n    bigint      NOT NULL
  );
  CREATE INDEX report_plan_by_time ON report_plan (look_at);
`;
