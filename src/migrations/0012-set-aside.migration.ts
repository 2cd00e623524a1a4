import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Dead letters of the notification process: events whose read model is parked; retried in the order of the log, per scope. */
export class CreateSetAside1700000012000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE notifier_set_aside (
        n     bigint      PRIMARY KEY,
        scope text        NOT NULL,
        since timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(`CREATE INDEX notifier_set_aside_by_scope ON notifier_set_aside (scope, n)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
