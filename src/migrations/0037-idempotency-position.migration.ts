import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddIdempotencyPosition1700000037000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Where the log ended at the first use of the key: what the write appended comes after it. Null where that is not known.
    await runner.query(`ALTER TABLE idempotency ADD COLUMN first_used_after text`);
    // From when on the table knows every key (src/persistence/idempotency-store.ts).
    await runner.query(
      `INSERT INTO idempotency (key, request_hash, begun_at) VALUES ('00000000-0000-0000-0000-000000000000', '', '-infinity')`,
    );
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
