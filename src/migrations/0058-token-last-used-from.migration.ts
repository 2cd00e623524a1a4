import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The address of the last use of a token, sealed with the key of its account. */
export class AddTokenLastUsedFrom1700000058000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tokens ADD COLUMN last_used_from text');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
