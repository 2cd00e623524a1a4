import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions: when their holder last proved who they are, from where they were opened (sealed), and the command that is ending them. */
export class AddSessions1700000017000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tokens
        ADD COLUMN confirmed_at timestamptz,
        ADD COLUMN opened_from  text,
        ADD COLUMN ending       json`);
    await runner.query(`CREATE INDEX tokens_ending ON tokens (token_id) WHERE ending IS NOT NULL`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
