import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which installation the observations of a database belong to, and, in the database of the log, where they are, once they were moved
 * (`watchledger observations move`).
 */
export class CreateObservationHome1700000081000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE observation_home (
        singleton    boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        installation text    NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE observations_moved (
        singleton boolean     PRIMARY KEY DEFAULT true CHECK (singleton),
        moved_to  text        NOT NULL,
        done      boolean     NOT NULL,
        at        timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    // The days that are copied completely, so that an interrupted move does not copy them again.
    await runner.query('CREATE TABLE observation_copy (day text PRIMARY KEY)');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
