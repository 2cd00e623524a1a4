import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reactors of teams: the last event that each has handled, and the partitions that wait behind one that it could not handle. */
export class CreateTeamReactors1700000084000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE team_reactor (
        name     text        PRIMARY KEY,
        package  text        NOT NULL,
        n        bigint      NOT NULL,
        event_id uuid,
        paused   boolean     NOT NULL DEFAULT false,
        error    text,
        moved_at timestamptz NOT NULL DEFAULT now()
      )`);
    // `retry_at`: when it is tried again; null: when an operator asks for it.
    await runner.query(`
      CREATE TABLE team_reactor_parked (
        reactor   text        NOT NULL REFERENCES team_reactor ON DELETE CASCADE,
        scope     text        NOT NULL,
        n         bigint      NOT NULL,
        event_id  uuid        NOT NULL,
        type      text        NOT NULL,
        error     text        NOT NULL,
        attempts  integer     NOT NULL,
        parked_at timestamptz NOT NULL DEFAULT now(),
        retry_at  timestamptz,
        PRIMARY KEY (reactor, scope)
      )`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
