import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool } from '../src/platform/postgres/pool.ts';
import { LedgerStore } from '../src/proof/seal/store/ledger-store.ts';
import { readFileHead } from '../src/operations/backup/read-backup.ts';
import { restoreBackup } from '../src/operations/backup/restore-backup.ts';
import { takeBackup } from '../src/operations/backup/take-backup.ts';
import { type Bench, figure } from './support/bench.ts';

const EVENTS = 200_000;
const FILL = `
  INSERT INTO log
  SELECT n, n, gen_random_uuid(), 'project-' || n % 1000, n / 1000, 'ProjectRenamed', 1, 'project-' || n % 1000,
         timestamptz '2026-01-01' + n * interval '1 ms', '{"from":"' || repeat(md5(n::text), 4) || '","to":"Shop"}',
         '{"actor":{"kind":"user","id":"1"},"correlationId":"' || gen_random_uuid() || '","causationId":null,"commandId":"' || gen_random_uuid() ||
         '","occurredAt":"2026-01-01T00:00:00.000Z"}'
  FROM generate_series(0, $1::int - 1) AS n`;

/** Backs up a log to a file and restores it, without other load; the ceiling of the backup is a COPY whose output is discarded. */
const bench: Bench = async ({ database }) => {
  const [url, elsewhere] = [await database(), await database()];
  const folder = await mkdtemp(join(tmpdir(), 'bench-backup-'));
  const pool = openPool(url, { name: 'bench', max: 2, statementTimeoutMs: 0 });
  const target = openPool(elsewhere, { name: 'bench', max: 1 });
  try {
    await new LedgerStore(pool).initialise('bench/api/ledger');
    await pool.query(FILL, [EVENTS]);
    await pool.query('ANALYZE; CHECKPOINT');
    await target.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const file = join(folder, 'b');
    const shared = { observationsUrl: undefined, master: randomBytes(32), signal: new AbortController().signal, progress: () => undefined };
    const copying = await secondsOf(() => pool.query(`COPY log TO '/dev/null'`));
    const taking = await secondsOf(() =>
      takeBackup({ ...shared, url, engine: 'postgres', program: 'bench', file, keysFile: `${file}.keys` }),
    );
    const [data, keys] = await Promise.all(
      [file, `${file}.keys`].map(async (path) => ({ path, head: await readFileHead(path, shared.master) })),
    );
    if (data === undefined || keys === undefined) throw new Error('there are two files');
    const restoring = await secondsOf(() =>
      restoreBackup({ ...shared, url: elsewhere, data, keys, checkpoint: null, lastCheckpoint: null, erased: [] }),
    );
    return [
      figure('events copied into a backup', EVENTS / taking, 'events/s', { ceiling: EVENTS / copying }),
      figure('an event in a backup', (await stat(file)).size / EVENTS, 'bytes'),
      figure('events restored, indexes included', EVENTS / restoring, 'events/s'),
    ];
  } finally {
    await Promise.all([pool.end(), target.end()]);
    await rm(folder, { recursive: true });
  }
};

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

export default bench;
