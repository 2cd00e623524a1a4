import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Networks from which an account has signed in, by keyed hash, and the failed logins of an account from all others; links that confirm a notification address. */
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
    await runner.query(`
      CREATE TABLE account_guesses (
        key          text        PRIMARY KEY,
        failed       integer     NOT NULL,
        last_at      timestamptz NOT NULL DEFAULT now(),
        paused_until timestamptz
      )`);
    await runner.query(`CREATE INDEX account_guesses_by_age ON account_guesses (last_at)`);
    // Of a link that confirms a notification address: that address, sealed.
    await runner.query(`
      ALTER TABLE links
        ADD COLUMN address text,
        DROP CONSTRAINT links_purpose_check,
        ADD CONSTRAINT links_purpose_check CHECK (purpose IN ('confirm', 'password', 'notification'))`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
