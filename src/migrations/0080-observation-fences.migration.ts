import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which epoch of each shard's lease may store observations; raised by its owner (`ObservationFences`). */
export class CreateObservationFences1700000080000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A new epoch changes a unique key, so it waits for writers that hold the row FOR KEY SHARE.
    await runner.query(`
      CREATE TABLE observation_fence (
        name  text   PRIMARY KEY,
        epoch bigint NOT NULL,
        UNIQUE (name, epoch)
      ) WITH (fillfactor = 50)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
