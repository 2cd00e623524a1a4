import type pg from 'pg';

const SCHEMA = 'demo_clock';
const APPENDS = [
  'append_one(text, bigint, uuid, text, smallint, text, text, text)',
  'append_events(text[], bigint[], int[], int[], bigint[], uuid[], text[], smallint[], text[], text, text)',
];

/**
 * The clock of this process, and of the log in the database, set to instants of the past: the code that writes history reads both. Events get the times
 * at which they would have been recorded; the clocks that leases and tokens depend on stay as they are.
 */
export class Past {
  private constructor(private readonly pool: pg.Pool) {}

  static async begin(pool: pg.Pool, at: number): Promise<Past> {
    await pool.query(`
      CREATE SCHEMA ${SCHEMA};
      CREATE TABLE ${SCHEMA}.instant (at timestamptz NOT NULL);
      INSERT INTO ${SCHEMA}.instant VALUES (pg_catalog.now());
      CREATE FUNCTION ${SCHEMA}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM ${SCHEMA}.instant'`);
    for (const name of APPENDS) await pool.query(`ALTER FUNCTION ${name} SET search_path = ${SCHEMA}, pg_catalog, public`);
    const past = new Past(pool);
    await past.goTo(at);
    return past;
  }

  async goTo(at: number): Promise<void> {
    Date.now = () => at;
    await this.pool.query(`UPDATE ${SCHEMA}.instant SET at = $1`, [new Date(at)]);
  }

  async end(): Promise<void> {
    for (const name of APPENDS) await this.pool.query(`ALTER FUNCTION ${name} RESET search_path`);
    await this.pool.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
  }
}
