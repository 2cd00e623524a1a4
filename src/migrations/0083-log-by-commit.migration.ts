import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the events of an apply of site files by the commit of the files. No other event has an entry. A text search is exact: quotes inside a JSON value are escaped. */
export class IndexLogByCommit1700000083000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX log_by_commit ON log (scope, substring(meta from '"commit":"([0-9a-f]+)"') text_pattern_ops, n) WHERE meta LIKE '%"apply":{%'`);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
