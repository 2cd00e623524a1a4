import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Filters of the history, newest first or oldest first, over everything and within one project. Within a project by a hash of 8 bytes: scope and type
 * as text would take 50. `LogSearcher` repeats these expressions literally. 150 bytes an event in all.
 */
const INDEXES: Readonly<Record<string, string>> = {
  log_by_type: '(type, n)',
  log_by_actor: `((meta::json -> 'actor' ->> 'id'), n)`,
  log_by_scope_type: '(hashtextextended(type, hashtextextended(scope, 0)), n)',
  log_by_scope_actor: `(hashtextextended(meta::json -> 'actor' ->> 'id', hashtextextended(scope, 0)), n)`,
};

export class IndexLogByTypeAndActor1700000027000 implements MigrationInterface {
  /** `CONCURRENTLY` builds over a long log while other instances append to it, and refuses to run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, on] of Object.entries(INDEXES)) {
      // What an interrupted build leaves behind is maintained, but never used.
      const rows = (await runner.query(`SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid`, [name])) as unknown[];
      if (rows.length > 0) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON log ${on}`);
    }
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
