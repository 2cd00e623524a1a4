import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Networks from which an account has signed in, by keyed hash, and the failed logins of an account from all others. */
export class AddKnownNetworks1700000025000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE known_networks (
        user_id integer     NOT NULL,
        hash    text        NOT NULL,
        seen_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (user_id, hash)
      )`);
    await runner.query(`CREATE INDEX known_networks_by_age ON known_networks (seen_at)`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
