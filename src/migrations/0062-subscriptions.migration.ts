import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions of accounts to the log, and the events that their consumers parked. */
export class CreateSubscriptions1700000062000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // `version`: optimistic concurrency; it begins with the time, so that one that is made again under its name continues above the former.
    await runner.query(`
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
        version       bigint      NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
        created_at    timestamptz NOT NULL DEFAULT now(),
        saved_at      timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (user_id, name)
      )`);
    await runner.query(`
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
      )`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
