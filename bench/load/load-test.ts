import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openPool } from '../../src/persistence/pool.ts';
import { openBenchDatabases } from '../support/databases.ts';
import { openPageSite, twentyKilobytes } from '../support/page-site.ts';
import { type Program, startProgram } from '../support/program.ts';
import { Clients } from './clients.ts';
import { type Sample, Watch } from './watch.ts';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
const ADMIN = { email: 'load@example.test', password: 'correct horse battery staple' };
const SAMPLE_MS = 10_000;

export interface LoadPlan {
  readonly projects: number;
  readonly minutes: number;
  /** One process for API, views and messages, another for the checks. */
  readonly split: boolean;
  readonly say: (line: string) => void;
}

export interface Load extends LoadPlan {
  readonly loadBefore: number;
  readonly samples: readonly Sample[];
}

/**
 * All projects with a check every 5 minutes and half with uptime at 30 s, over HTTP against one page, while clients read and write. Measures a process from
 * its start, which has all of them from the beginning.
 */
export async function runLoad(plan: LoadPlan): Promise<Load> {
  const loadBefore = loadavg()[0] ?? 0;
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-load-'));
  const databases = await openBenchDatabases(plan.say);
  const site = await openPageSite(twentyKilobytes());
  const databaseUrl = await databases.create();
  const pool = openPool(databaseUrl, { name: 'load', max: 2 });
  const services: Program[] = [];
  try {
    const env = {
      ...{ PORT: '0', DATABASE_URL: databaseUrl, MASTER_KEY: randomBytes(32).toString('hex'), JWT_KEY: randomBytes(32).toString('hex') },
      ...{ RATE_LIMIT: '0', LOG_LEVEL: 'info', ALLOW_TARGETS: '127.0.0.0/8', ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
    };
    const start = async (): Promise<string> => {
      for (const roles of plan.split ? ['api,projector,reactor', 'checker'] : ['api,checker,projector,reactor'])
        services.push(
          await startProgram(MAIN, { ...env, ROLES: roles, DATA_DIR: join(folder, `data-${String(services.length)}`) }, folder),
        );
      return services[0]?.address ?? '';
    };
    const maker = await Clients.signIn(await start(), ADMIN);
    plan.say(`making ${plan.projects.toLocaleString('en')} projects ...`);
    await maker.make(plan.projects, `http://127.0.0.1:${String(site.http)}/`);
    plan.say('starting it again ...');
    for (const service of services.splice(0)) await service.stop();
    const clients = await Clients.signIn(await start(), ADMIN, maker);
    const watch = await Watch.begin(services, pool, clients);
    const samples: Sample[] = [];
    clients.begin();
    while (samples.length * SAMPLE_MS < plan.minutes * 60_000) {
      await pause(SAMPLE_MS);
      const sample = await watch.sample();
      samples.push(sample);
      plan.say(JSON.stringify(sample));
    }
    await clients.end();
    return { ...plan, loadBefore, samples };
  } finally {
    for (const service of services) await service.stop();
    await pool.end();
    site.close();
    await databases.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((over) => setTimeout(over, milliseconds));
