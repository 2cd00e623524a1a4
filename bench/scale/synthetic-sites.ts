import { createHash } from 'node:crypto';
import type pg from 'pg';
import { deflatePack } from '../../src/platform/observations/codec/bytes.ts';
import { DayPartitions } from '../../src/platform/observations/packs/day-partitions.ts';
import { hourOf, idBytes } from '../../src/platform/observations/packs/pack-kind.ts';
import { HOUR_MS } from '../../src/kernel/time.ts';
import { PackWriter } from '../../src/platform/observations/packs/pack-writer.ts';
import { sampleKind } from '../../src/platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../../src/platform/observations/samples/sample.ts';
import { shardNumberOf, SHARDS } from '../../src/platform/observations/shards.ts';
import { siteSamples } from '../support/site-samples.ts';

/** Of sixteen checkers each owns as many. */
export const OWNED_SHARDS = SHARDS / 16;
const PERIOD_S = 15 as const;
type Period = Parameters<typeof siteSamples>[2];
const FENCE = { name: 'bench', epoch: 1 };

/** The ids of the sites of one checker of sixteen, in an installation of so many sites. */
export function sitesOfOneChecker(sites: number): readonly string[] {
  const ids: string[] = [];
  for (let index = 0; ids.length < sites / 16; index++) {
    const id = createHash('sha256')
      .update(`site ${String(index)}`)
      .digest('hex')
      .slice(0, 24);
    if (shardNumberOf(id) < OWNED_SHARDS) ids.push(id);
  }
  return ids;
}

export const inShard = (ids: readonly string[], shard: number): readonly string[] => ids.filter((id) => shardNumberOf(id) === shard);

/** What one checker flushes of its sites in this time, a second at a time. */
export async function flushAll(pool: pg.Pool, ids: readonly string[], from: number, to: number, periodS: Period = PERIOD_S): Promise<void> {
  await pool.query(`INSERT INTO observation_fence (name, epoch) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, [FENCE.name, FENCE.epoch]);
  const writer = new PackWriter(pool, sampleKind, { pastMs: 1e12, futureMs: 1e12 });
  const patterns = Array.from({ length: 40 }, (_, seed) => siteSamples(from, to + periodS * 1_000, periodS, seed + 1));
  for (let second = 0; from + second * 1_000 < to; second++) {
    const turn = Math.floor(second / periodS);
    const observed: { projectId: string; item: Sample }[] = [];
    for (let index = second % periodS; index < ids.length; index += periodS) {
      const item = patterns[index % patterns.length]?.[turn];
      const projectId = ids[index];
      if (item !== undefined && projectId !== undefined)
        observed.push({ projectId, item: { ...item, at: from + second * 1_000 + (index % 1_000) } });
    }
    await writer.accept([{ fence: FENCE, observed }]);
  }
}

/** The compacted hours of these sites, the same of each. */
export async function writeHours(
  pool: pg.Pool,
  ids: readonly string[],
  from: number,
  to: number,
  periodS: Period = PERIOD_S,
): Promise<void> {
  const hours = Array.from({ length: Math.ceil((to - from) / HOUR_MS) }, (_, nth) => hourOf(from) + nth);
  await new DayPartitions(pool, 'sample').ensure(hours);
  const measured = hours.map((hour) => siteSamples(hour * HOUR_MS, Math.min((hour + 1) * HOUR_MS, to), periodS, hour));
  const packs = measured.map((samples) => deflatePack(sampleKind.pack(samples)));
  const summaries = hours.map((hour, nth) => sampleKind.summarize?.(hour, measured[nth] ?? [], packs[nth] ?? Buffer.alloc(0)));
  for (let first = 0; first < ids.length; first += 500)
    await pool.query(
      `INSERT INTO sample_hour (project_id, hour, packed, summary) SELECT id, hour, packed, summary
       FROM unnest($1::bytea[]) AS site (id) CROSS JOIN unnest($2::int[], $3::bytea[], $4::bytea[]) AS measured (hour, packed, summary)`,
      [ids.slice(first, first + 500).map(idBytes), hours, packs, summaries],
    );
}
