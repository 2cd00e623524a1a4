import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds what followed in a chain. What begins one is found by its id, which is the chain's, so that the most common events, those that stand alone,
 * cost nothing here. The database looks into the text and not into JSON: what is quoted inside a value of it has its quotes escaped.
 */
export class IndexLogByChain1700000013000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX log_by_chain ON log (substring(meta from '"correlationId":"([^"]+)"')) WHERE meta NOT LIKE '%"causationId":null%'`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
