import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each message was until its next change, so that the list of deliveries answers as of any instant (a system-versioned table). */
const STATEMENTS = [
  `CREATE TABLE notification_message_past (
    id          uuid        NOT NULL REFERENCES notification_message (id) ON DELETE CASCADE,
    until       timestamptz NOT NULL DEFAULT clock_timestamp(),
    state       text        NOT NULL,
    attempts    integer     NOT NULL,
    last_answer text,
    next_try    timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (id, until)
  )`,
  `CREATE FUNCTION keep_past_message() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO notification_message_past (id, state, attempts, last_answer, next_try, finished_at)
    VALUES (OLD.id, OLD.state, OLD.attempts, OLD.last_answer, OLD.next_try, OLD.finished_at)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER keep_past_message AFTER UPDATE ON notification_message
    FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION keep_past_message()`,
];

export class KeepPastDeliveries1700000045000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
