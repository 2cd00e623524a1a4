import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startThrowawayCluster } from '../../src/operations/embedded-postgres/throwaway-cluster.ts';
import { PostgresSamples } from '../../src/platform/observations/samples/postgres-samples.ts';
import { ObservationSchemas } from '../../src/platform/observations/schemas.ts';
import { ApiClient } from '../support/api-client.ts';
import { watchledgerProcess } from '../support/command-line.ts';
import { MAIN, Program } from '../support/program.ts';
import { ADMIN } from '../support/service.ts';
import { until } from '../support/until.ts';
import { ShardOwners } from './shard-owners.ts';
import { PERIOD_MS, WatchedSites } from './watched-sites.ts';

/** Enough that every shard of sixteen has some, spread over the period. */
const PROJECTS = 48;
/** Of them: they go down while checkers of both versions run, and come up when the old ones have ended. */
const FAILING = 4;
const TESTED = 8;
const STOPPED_MS = 30_000;
const LAST_LINES = 30;

interface WatchedProject {
  readonly id: string;
  readonly path: string;
  /** Of the first projects. */
  readonly testId: string | undefined;
  readonly fails: boolean;
}

type Part = 'former projector' | 'projector' | 'api' | 'checker 1' | 'checker 2';

const ROLES: Readonly<Record<Part, string>> = {
  'former projector': 'projector,reactor',
  projector: 'projector,reactor',
  api: 'api',
  'checker 1': 'checker',
  'checker 2': 'checker',
};

/** An installation with two checkers that is upgraded, one process after the other, while it checks. Throws with everything that was lost, changed or doubled. */
export async function upgradeWhileChecking(formerMain: string, say: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-upgrade-'));
  const sites = await WatchedSites.open();
  const cluster = await startThrowawayCluster({}, say);
  const url = `${cluster.url}/watchledger`;
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  try {
    await createDatabase(cluster.url);
    const installation = new Installation(url, folder);
    try {
      await new RollingUpgrade(installation, pool, sites, formerMain, say).run();
    } catch (error) {
      say(installation.lastLines());
      throw error;
    } finally {
      await installation.stop();
    }
  } finally {
    await pool.end();
    await cluster.stop();
    await sites.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createDatabase(server: string): Promise<void> {
  const admin = new pg.Client({ connectionString: `${server}/postgres` });
  await admin.connect();
  await admin.query('CREATE DATABASE watchledger');
  await admin.end();
}

/** Its processes: a projector of each version, an API, and two checkers. */
class Installation {
  readonly env: Readonly<Record<string, string>>;
  private readonly parts = new Map<Part, Program>();
  private readonly running = new Set<Program>();

  constructor(url: string, folder: string) {
    const admin = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };
    const open = { ALLOW_TARGETS: '127.0.0.0/8', RATE_LIMIT: '0' };
    this.env = { DATABASE_URL: url, DATA_DIR: join(folder, 'data'), MASTER_KEY: '5a'.repeat(32), PORT: '0', ...admin, ...open };
  }

  /** Answers its address. */
  start(part: Part, main: string): Promise<string> {
    const program = new Program({ ...this.env, ROLES: ROLES[part] }, '/', {}, main);
    this.parts.set(part, program);
    this.running.add(program);
    return program.ready();
  }

  /** Starts the new process first, then stops the old one, as docs/operations.md says. */
  async replace(part: Part, main: string): Promise<string> {
    const former = this.parts.get(part);
    const address = await this.start(part, main);
    if (former !== undefined) await this.end(former);
    return address;
  }

  async stopped(part: Part): Promise<void> {
    const program = this.parts.get(part);
    if (program !== undefined) await this.end(program);
  }

  /** The projector last: the read models have everything then. */
  async stop(): Promise<void> {
    for (const program of [...this.running].toReversed()) await this.end(program);
  }

  /** What each process logged last. */
  lastLines(): string {
    const lines = [...this.parts].map(([part, { out, err }]) => `${part}:\n${`${out}${err}`.split('\n').slice(-LAST_LINES).join('\n')}`);
    return lines.join('\n\n');
  }

  private async end(program: Program): Promise<void> {
    this.running.delete(program);
    program.signal('SIGTERM');
    const killing = setTimeout(() => {
      program.signal('SIGKILL');
    }, STOPPED_MS);
    const { status, out, err } = await program.ended;
    clearTimeout(killing);
    if (status !== 0) throw new Error(`a process ended with ${String(status)} after SIGTERM:\n${out}${err}`.slice(-4_000));
  }
}

class RollingUpgrade {
  private projects: readonly WatchedProject[] = [];
  private readonly findings: string[] = [];

  constructor(
    private readonly installation: Installation,
    private readonly pool: pg.Pool,
    private readonly sites: WatchedSites,
    private readonly formerMain: string,
    private readonly say: (line: string) => void,
  ) {}

  async run(): Promise<void> {
    await this.installation.start('former projector', this.formerMain);
    const api = await this.signedIn(await this.installation.start('api', this.formerMain));
    for (const checker of ['checker 1', 'checker 2'] as const) await this.installation.start(checker, this.formerMain);
    this.projects = await this.created(api);
    const owners = new ShardOwners(this.pool);
    try {
      await this.upgrade(api, owners);
    } finally {
      await owners.stop();
    }
    this.findings.push(...owners.conflicts.slice(0, 3));
    await this.installation.stop();
    await this.compareProbes();
    await this.countVerdicts();
    await this.verify();
    if (this.findings.length > 0) throw new Error(`the upgrade was noticed:\n${this.findings.join('\n')}`);
    this.say('nothing was lost, changed or doubled');
  }

  private async upgrade(former: ApiClient, owners: ShardOwners): Promise<void> {
    await this.allProbed();
    await until(() => Promise.resolve(owners.areShared(2)), 30_000, 'that both checkers have shards');
    this.say(`two checkers of the former version have ${owners.summary} shards`);
    await this.allProbed();
    await this.allTested(former);
    const recorded = Date.now() - PERIOD_MS;
    const [log, measured] = [await this.log(), await this.measured(former, recorded)];

    // It migrates the database, and fills the read models of its version beside the former ones, which processes of the former version need until they end.
    await this.installation.start('projector', MAIN);
    await this.installation.replace('checker 1', MAIN);
    this.say('a projector of this version has joined, and a checker of it has taken the place of another one');
    this.sites.fail(...this.projects.filter(({ fails }) => fails).map(({ path }) => path));
    await this.allProbed();
    await this.allTested(former);
    const api = await this.signedIn(await this.installation.replace('api', MAIN));
    await this.allProbed();
    await this.allTested(api);
    await this.installation.replace('checker 2', MAIN);
    await this.installation.stopped('former projector');
    this.sites.mend();
    await this.allProbed();
    await until(() => Promise.resolve(owners.areShared(2)), 30_000, 'that both new checkers have shards');
    this.say(`two checkers of this version have ${owners.summary} shards`);
    await this.allProbed();
    await this.allTested(api);

    this.same('the events from before the upgrade', log, (await this.log()).slice(0, log.length));
    this.same('the measurements from before the upgrade', measured, await this.measured(api, recorded));
    this.say(`${String(log.length)} events and the measurements from before the upgrade compared`);
  }

  private async signedIn(address: string): Promise<ApiClient> {
    return new ApiClient(address, null, {}, false).signIn(ADMIN.email, ADMIN.password);
  }

  private created(api: ApiClient): Promise<readonly WatchedProject[]> {
    return Promise.all(
      Array.from({ length: PROJECTS }, async (_, index) => {
        const path = `/watched/${String(index)}`;
        // In one request: what is changed after the creation may follow a probe of the default address.
        const settings = { url: this.sites.url, period: false, uptimeUrl: this.sites.add(path), uptimeEnabled: '15' };
        const { id } = (await api.post('/project/create', settings)).body as { id: string };
        const test = index < TESTED ? await api.post(`/project/${id}/tests`, { url: '/tested', name: 'Page' }) : undefined;
        return { id, path, testId: test?.body.id as string | undefined, fails: index >= PROJECTS - FAILING };
      }),
    );
  }

  private async allProbed(): Promise<void> {
    const since = Date.now();
    await until(() => Promise.resolve(this.sites.allAskedSince(since)), 3 * PERIOD_MS, 'a probe of every site');
  }

  /** A command of the API that a checker executes, whichever of them has which version. */
  private async allTested(api: ApiClient): Promise<void> {
    for (const { id, testId } of this.projects) {
      if (testId === undefined) continue;
      const job = await api.get(`/project/${id}/start?tests=${testId}`);
      if (job.status !== 200) throw new Error(`a job was not started: ${job.text}`);
      const results = `/project/${id}/job/${String(job.body.jobId)}/results`;
      await until(async () => (await api.get(results)).body.processed === true, 15_000, `the results of ${results}`);
      const { total, failed } = (await api.get(results)).body as { total: number; failed: number };
      if (total !== 1 || failed !== 0) this.findings.push(`a job of ${id} has ${String(total)} results, ${String(failed)} of them failed`);
    }
  }

  /** Every event as the database stores it. */
  private async log(): Promise<readonly string[]> {
    const columns = 'n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta';
    const { rows } = await this.pool.query<{ row: string }>(`SELECT ROW(${columns})::text AS row FROM log ORDER BY n`);
    return rows.map(({ row }) => row);
  }

  /** What the API answers about the probes until an instant. */
  private async measured(api: ApiClient, until: number): Promise<readonly string[]> {
    const span = `start=${new Date(until - 3_600_000).toISOString()}&end=${new Date(until).toISOString()}`;
    const answers: string[] = [];
    for (const { id } of this.projects) answers.push((await api.get(`/project/${id}/responseTimes?${span}`)).text);
    if (answers.some((answer) => !answer.includes('totalResponseTime')))
      this.findings.push('a site has no measurements before the upgrade');
    return answers;
  }

  private same(what: string, before: readonly string[], after: readonly string[]): void {
    const different = before.findIndex((one, index) => one !== after[index]);
    if (different >= 0) this.findings.push(`${what} differ: ${before[different] ?? ''} became ${after[different] ?? 'nothing'}`);
  }

  /** Each probe that reached a site is stored once, and none of them came late or twice. */
  private async compareProbes(): Promise<void> {
    const samples = new PostgresSamples(Object.assign(this.pool, { schemas: new ObservationSchemas(1) }));
    let probes = 0;
    for (const { id, path, fails } of this.projects) {
      // A failure is confirmed by further probes, which are part of its verdict.
      if (fails) continue;
      const stored = (await samples.between(id, 0, Date.now())).map(({ at }) => at);
      this.findings.push(...this.sites.irregular(path), ...this.sites.unlike(path, stored));
      probes += stored.length;
    }
    this.say(`${String(probes)} probes compared`);
  }

  private async countVerdicts(): Promise<void> {
    for (const { id, fails } of this.projects) {
      const { rows } = await this.pool.query<{ type: string }>(
        `SELECT type FROM log WHERE scope = $1 AND type IN ('UptimeWentDown', 'UptimeWentUp') ORDER BY n`,
        [`project-${id}`],
      );
      const [verdicts, expected] = [rows.map(({ type }) => type).join(', '), fails ? 'UptimeWentDown, UptimeWentUp' : ''];
      if (verdicts !== expected) this.findings.push(`${id} has the verdicts ${verdicts}, expected were ${expected}`);
    }
  }

  private async verify(): Promise<void> {
    for (const command of [['verify', '--measurements'], ['replay']]) {
      const { status, out, err } = await watchledgerProcess('/', this.installation.env, ...command).ran;
      this.say(out.trim());
      if (status !== 0) this.findings.push(`${command.join(' ')}: ${out}${err}`);
    }
  }
}
