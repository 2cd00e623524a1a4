import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateNotifications1700000008000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Advanced in the transaction that writes the effects of the events up to it.
    await runner.query(`
      CREATE TABLE notifier_checkpoint (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        n         bigint  NOT NULL
      )`);
    // A notifiable failure, from its first event until its recovery.
    await runner.query(`
      CREATE TABLE notification_episode (
        subject    text   PRIMARY KEY,
        project_id text   NOT NULL,
        episode    uuid   NOT NULL
      )`);
    await runner.query(`CREATE INDEX notification_episode_by_project ON notification_episode (project_id)`);
    // A report covers several projects: its project id is empty here and below.
    await runner.query(`
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
      )`);
    await runner.query(`CREATE INDEX notification_message_due ON notification_message (next_try) WHERE state = 'due'`);
    await runner.query(`CREATE INDEX notification_message_of_user ON notification_message (user_id, created_at DESC)`);
    await runner.query(
      `CREATE INDEX notification_message_recent ON notification_message (user_id, channel, project_id, kind, created_at DESC)`,
    );
    await runner.query(`
      CREATE TABLE notification_intent (
        id         uuid        PRIMARY KEY,
        cause_id   uuid        NOT NULL,
        cause_n    bigint      NOT NULL,
        correlation_id uuid    NOT NULL,
        episode    uuid        NOT NULL,
        project_id text        NOT NULL,
        user_id    integer     NOT NULL,
        channel    text        NOT NULL,
        kind       text        NOT NULL,
        facts      jsonb       NOT NULL,
        due_at     timestamptz NOT NULL,
        state      text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'bundled', 'cancelled')),
        -- A problem whose episode has ended: its recipients get no further messages about it.
        over       boolean     NOT NULL DEFAULT false,
        message_id uuid        REFERENCES notification_message (id) ON DELETE CASCADE,
        UNIQUE (cause_id, episode, user_id, channel)
      )`);
    await runner.query(`CREATE INDEX notification_intent_waiting ON notification_intent (due_at) WHERE state = 'waiting'`);
    await runner.query(`CREATE INDEX notification_intent_of_episode ON notification_intent (episode)`);
    await runner.query(`CREATE INDEX notification_intent_of_message ON notification_intent (message_id)`);
    await runner.query(
      `CREATE INDEX notification_intent_open ON notification_intent (project_id, user_id) WHERE kind = 'problem' AND NOT over`,
    );
    await runner.query(`
      CREATE TABLE report_plan (
        user_id   integer     PRIMARY KEY,
        -- The Monday of the last report, written or skipped; null while no report is enabled.
        last_week date,
        look_at   timestamptz NOT NULL,
        -- Not before the read models have reached this position, which holds the event that changed the plan.
        seen_n    bigint      NOT NULL
      )`);
    await runner.query(`CREATE INDEX report_plan_by_time ON report_plan (look_at)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
