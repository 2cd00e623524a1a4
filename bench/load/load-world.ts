import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { openPool } from '../../src/platform/postgres/pool.ts';
import { openBenchDatabases } from '../support/databases.ts';
import { openPageSite, twentyKilobytes } from '../support/page-site.ts';
import { type Program, startProgram } from '../support/program.ts';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
const ADMIN = { email: 'load@example.test', password: 'correct horse battery staple' };
/** Of processes that leave the processor to the checker beside them, as docs/operations.md recommends. */
const NICENESS = 5;
export const ALL_ROLES = 'api,checker,projector,reactor';

export interface LoadWorld {
  readonly loadBefore: number;
  readonly account: object;
  readonly siteUrl: string;
  readonly pool: pg.Pool;
  readonly services: readonly Program[];
  /** Starts the service, anew after `stop`; answers the address of its API. */
  start(): Promise<string>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** A service, its database and the page that it checks: a process for each of these roles, of which the first has the API. */
export async function openLoadWorld(say: (line: string) => void, roles: readonly string[]): Promise<LoadWorld> {
  const loadBefore = loadavg()[0] ?? 0;
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-load-'));
  const databases = await openBenchDatabases(say);
  const site = await openPageSite(twentyKilobytes());
  const databaseUrl = await databases.create();
  const pool = openPool(databaseUrl, { name: 'load', max: 2 });
  const services: Program[] = [];
  const env = {
    ...{ PORT: '0', DATABASE_URL: databaseUrl, MASTER_KEY: randomBytes(32).toString('hex'), JWT_KEY: randomBytes(32).toString('hex') },
    ...given('OBSERVATIONS_URL', 'OBSERVATION_SCHEMAS', 'NODE_OPTIONS'),
    ...{ RATE_LIMIT: '0', LOG_LEVEL: 'info', ALLOW_TARGETS: '127.0.0.0/8', ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
  };
  const stop = async (): Promise<void> => {
    for (const service of services.splice(0)) await service.stop();
  };
  return {
    ...{ loadBefore, account: ADMIN, siteUrl: `http://127.0.0.1:${String(site.http)}/`, pool, services, stop },
    start: async () => {
      // At once: an API alone waits for a projector.
      const starting = roles.map((role, index) =>
        startProgram(MAIN, { ...env, ROLES: role, DATA_DIR: join(folder, `data-${String(index)}`) }, folder, {
          niceness: role.includes('checker') ? 0 : NICENESS,
        }),
      );
      services.push(...(await Promise.all(starting)));
      return services[0]?.address ?? '';
    },
    close: async () => {
      await stop();
      await pool.end();
      site.close();
      await databases.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Of the environment of the load test: for a cluster that is there already, and for the memory of Node. */
const given = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
