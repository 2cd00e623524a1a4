import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the later events of a correlation chain. The first event of a chain is found by its id, which is the correlation id, so that single
 * events, the most common ones, need no index entry. A text search is exact: quotes inside a JSON value are escaped.
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
