import type pg from 'pg';
import { openPool } from '../src/platform/postgres/pool.ts';
import { PackWriter } from '../src/platform/observations/packs/pack-writer.ts';
import { PackCompactor } from '../src/platform/observations/packs/pack-compactor.ts';
import type { Sample } from '../src/platform/observations/samples/sample.ts';
import { sampleKind } from '../src/platform/observations/samples/postgres-samples.ts';
import { type Bench, figure } from './support/bench.ts';
import { siteSamples } from './support/site-samples.ts';

const SITES = 1_000;
const PERIOD = 15;
/** Simulated: 1,000 sites at 15 s are 67 samples a second, 480,000 in two hours. */
const HOURS = 2;
const FLUSH_MS = 1_000;
const REPACK_MS = 600_000;
const START = Date.UTC(2026, 0, 1);
const ROWS = 20_000;

/** Bytes on disk per sample, including indexes, unpacked samples and dead space; CPU time of accepting them, against one row per sample. */
const bench: Bench = async ({ database, say }) => {
  const pool = openPool(await database(), { name: 'bench', max: 4, statementTimeoutMs: 0 });
  try {
    await pool.query(`INSERT INTO observation_fence (name, epoch) VALUES ('eu-0', 1)`);
    const sites = Array.from({ length: SITES }, (_, site) => ({
      id: `${(site * 2_654_435_761).toString(16).padStart(16, '0')}${site.toString(16).padStart(8, '0')}`.slice(-24),
      samples: siteSamples(START, START + HOURS * 3_600_000, PERIOD, site + 1),
    }));
    const spent = await accept(pool, sites, say);
    const { rows } = await pool.query<{ bytes: string }>(
      `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind IN ('r', 'p') AND relname LIKE 'sample\\_%'`,
    );
    const total = sites.reduce((sum, { samples }) => sum + samples.length, 0);
    const byRow = await rowByRow(
      pool,
      sites.flatMap(({ id, samples }) => samples.slice(0, ROWS / SITES).map((sample) => ({ id, sample }))),
    );
    say(
      `${String(total)} samples, ${(spent.flushMs / 1000).toFixed(1)} s in flushes, ${(spent.repackMs / 1000).toFixed(1)} s in repacking`,
    );
    return [
      figure('storage of a sample, all included', Number(rows[0]?.bytes) / total, 'bytes', { goal: { atMost: 40 } }),
      figure('samples accepted and repacked, against a row each', (total / (spent.flushMs + spent.repackMs)) * 1000, 'samples/s', {
        ceiling: (ROWS / byRow) * 1000,
        goal: { ratio: 5 },
      }),
    ];
  } finally {
    await pool.end();
  }
};

export default bench;

/** Like the checker: a flush per second and a compaction every ten minutes, on simulated time. */
async function accept(
  pool: pg.Pool,
  sites: readonly { readonly id: string; readonly samples: readonly Sample[] }[],
  say: (line: string) => void,
) {
  const writer = new PackWriter(pool, sampleKind, { pastMs: 1e13, futureMs: 1e13 });
  const repacking = new PackCompactor(pool, sampleKind);
  const flushes = new Map<number, { projectId: string; item: Sample }[]>();
  for (const { id, samples } of sites) {
    for (const item of samples) {
      const due = Math.floor(item.at / FLUSH_MS);
      const flush = flushes.get(due);
      if (flush === undefined) flushes.set(due, [{ projectId: id, item }]);
      else flush.push({ projectId: id, item });
    }
  }
  let [flushMs, repackMs] = [0, 0];
  for (const due of [...flushes.keys()].sort((one, other) => one - other)) {
    const begun = performance.now();
    await writer.accept([{ fence: { name: 'eu-0', epoch: 1 }, observed: flushes.get(due) ?? [] }]);
    const flushed = performance.now();
    flushMs += flushed - begun;
    if ((due * FLUSH_MS) % REPACK_MS === 0) {
      // Stands in for autovacuum, since ten simulated minutes pass at once.
      await repacking.compact(0);
      repackMs += performance.now() - flushed;
      await pool.query('VACUUM sample_flush');
      say(`${new Date(due * FLUSH_MS).toISOString()} accepted`);
    }
  }
  return { flushMs, repackMs };
}

/** The ceiling: one row per sample over several connections. */
async function rowByRow(pool: pg.Pool, samples: readonly { readonly id: string; readonly sample: Sample }[]): Promise<number> {
  await pool.query(
    `CREATE TABLE plain (project text, at timestamptz, outcome text, status int, dns real, connect real, tls real, request real, waiting real, download real, total real, PRIMARY KEY (project, at))`,
  );
  const begun = performance.now();
  const queue = [...samples];
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const {
          id,
          sample: { at, outcome, httpStatus, dns, connect, tls, request, waiting, download, total },
        } = next;
        await pool.query({
          name: 'plain',
          text: 'INSERT INTO plain VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
          values: [id, new Date(at), outcome, httpStatus, dns, connect, tls, request, waiting, download, total],
        });
      }
    }),
  );
  return performance.now() - begun;
}
