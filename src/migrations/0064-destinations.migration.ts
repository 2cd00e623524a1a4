import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far events were pushed to destinations. The log itself is the outbox: nothing of it is copied. */
export class CreateDestinations1700000064000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE destination_partition (
        destination_id text        NOT NULL,
        -- Events are in order within a scope: a project, an account or the system.
        scope          text        NOT NULL,
        -- Everything of the scope up to it was pushed, or is not to be pushed.
        position       bigint      NOT NULL,
        -- Of the installation: the last event of the scope that is to be pushed, as far as the log was scanned.
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
      )`);
    await runner.query(`CREATE INDEX destination_partition_failing ON destination_partition (destination_id, scope) WHERE attempts > 0`);
    // Of the installation: in which scopes there is something to push.
    await runner.query(`
      CREATE TABLE destination_scan (
        destination_id text   PRIMARY KEY,
        scanned        bigint NOT NULL,
        replay         bigint NOT NULL
      )`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
