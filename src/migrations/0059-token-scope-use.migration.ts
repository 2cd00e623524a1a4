import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The days on which what a token did needed a scope. */
export class CreateTokenScopeUse1700000059000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_scope_use (
        token_id text NOT NULL,
        scope    text NOT NULL,
        day      date NOT NULL,
        PRIMARY KEY (token_id, scope, day)
      )`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
