import type pg from 'pg';

/**
 * Writes and commits a row, which needs room on the disk, a database that is not read-only, and its synchronous standbys. TRUNCATE gives the table a new
 * file, so that the row does not fit into space that it already has. The short lock timeout keeps probes from queueing behind one that hangs.
 */
const PROBE = `
  BEGIN;
  SET LOCAL lock_timeout = '1s';
  TRUNCATE write_probe;
  INSERT INTO write_probe DEFAULT VALUES;
  COMMIT`;

export async function probeWrite(db: pg.Pool | pg.Client): Promise<void> {
  await db.query(PROBE);
}
