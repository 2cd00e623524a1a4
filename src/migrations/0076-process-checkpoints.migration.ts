import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last event that a process manager has handled, by its name. */
export class CreateProcessCheckpoints1700000076000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE process_checkpoint (name text PRIMARY KEY, n bigint NOT NULL)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
