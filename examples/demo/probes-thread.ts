import { on } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { PackCompactor } from '../../src/platform/observations/packs/pack-compactor.ts';
import { sampleKind } from '../../src/platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../../src/platform/observations/samples/sample.ts';
import { DAY } from './happening.ts';
import { SiteProbes, type WatchedSite } from './site-probes.ts';

// The thread of an UptimeHistory: is asked for day after day, answers what follows from the probes of all sites, and stores the samples that are kept.

export interface ProbesWork {
  readonly database: string;
  readonly sites: readonly WatchedSite[];
  /** Samples of earlier days are past their retention: only their closed days are kept. */
  readonly keptFrom: number;
  readonly until: number;
}

/** Samples of so much time are stored in one transaction of each site. */
const STORED_MS = 10 * DAY;

if (parentPort === null) throw new Error('this is a thread of an UptimeHistory');
const { database, sites, keptFrom, until } = workerData as ProbesWork;
const pool = new pg.Pool({ connectionString: database, max: sites.length });
const compactor = new PackCompactor(pool, sampleKind);
const probes = sites.map((site) => ({ site, days: new SiteProbes(site), kept: [] as Sample[] }));

async function store(): Promise<void> {
  await Promise.all(probes.map(({ site, kept }) => compactor.write(site.projectId, kept.splice(0))));
}

for await (const [start] of on(parentPort, 'message') as AsyncIterable<[number | null]>) {
  if (start === null) break;
  const answer = probes.map(({ days, kept }) => {
    const { samples, ...day } = days.day(start, until);
    if (start >= keptFrom) kept.push(...samples);
    return day;
  });
  parentPort.postMessage(answer);
  const [oldest] = probes[0]?.kept ?? [];
  if (oldest !== undefined && start - oldest.at >= STORED_MS) await store();
}
await store();
await pool.end();
