import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The addressees of pending invitations and offered transfers. A row goes when its invitation ends, and the address with it. */
export class CreateInvitations1700000016000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invitation (
        id           text        PRIMARY KEY,
        kind         text        NOT NULL,
        project_id   text        NOT NULL,
        address_hash text,
        address      json,
        user_id      integer,
        token_hash   text        UNIQUE,
        expires_at   timestamptz NOT NULL,
        UNIQUE (project_id, address_hash)
      )`);
    await runner.query('CREATE INDEX invitation_by_address ON invitation (address_hash)');
    await runner.query('CREATE INDEX invitation_by_user ON invitation (user_id)');
    await runner.query('CREATE INDEX invitation_by_expiry ON invitation (expires_at)');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
