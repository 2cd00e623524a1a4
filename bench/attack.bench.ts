import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { openPool } from '../src/platform/postgres/pool.ts';
import type { ApiClient } from '../test/support/api-client.ts';
import { TestAccounts } from '../test/support/test-accounts.ts';
import { type Bench, figure, percentile } from './support/bench.ts';
import { withService } from './support/bench-service.ts';
import { openPageSite, twentyKilobytes } from './support/page-site.ts';
import { type Program, residentMegabytes } from './support/program.ts';

const ACCOUNTS = 10;
const ATTACKED_MS = 60_000;
const REST_MS = 30_000;
const FIRST_MS = 5_000;
const READ_EVERY_MS = 250;
/** Each fourth request changes the title. */
const WRITES = 4;

interface Worker {
  readonly token: string;
  readonly projectId: string;
}

interface Answers {
  readonly times: readonly number[];
  /** Of requests that were sent after the first seconds, in which what an address may send in a minute arrives at once. */
  readonly laterTimes: readonly number[];
  readonly refused: number;
}

/** Ten accounts that read and change their projects while one address attacks with everything that a stranger and a small account can send. */
const bench: Bench = async (tools) => {
  const site = await openPageSite(twentyKilobytes());
  const settings = {
    ...{ REGISTRATION: 'open', REGISTRATION_LIMIT: '0', RATE_LIMIT: '600' },
    ...{ ALLOW_TARGETS: '127.0.0.0/8' },
  };
  return withService(
    tools,
    async (service, url) => {
      const pool = openPool(url, { name: 'bench', max: 2 });
      try {
        const people = new TestAccounts({ url: service.address, database: { pool } });
        const workers: Worker[] = [];
        const page = `http://127.0.0.1:${String(site.http)}/`;
        for (let account = 0; account < ACCOUNTS; account++) workers.push(await workerOf(people, page));
        const { api, ...attacker } = await workerOf(people, page);
        const { api: _, ...exporter } = await workerOf(people, page);
        const slug = await lockedPage(api, attacker.projectId);
        tools.say('accounts alone ...');
        const alone = await work(service.address, workers, REST_MS);
        await pause(REST_MS);
        const [restMb, inconclusive] = [await residentMegabytes(service.pid), await inconclusiveRuns(service)];
        tools.say('accounts while one address attacks ...');
        const child = fork(join(import.meta.dirname, 'support/attackers.mjs'), { execArgv: [] });
        child.send({ port: Number(new URL(service.address).port), ...attacker, exporter, slug });
        const attacked = await work(service.address, workers, ATTACKED_MS);
        child.send({ end: true });
        const [{ counts }] = (await once(child, 'message')) as [{ counts: Readonly<Record<string, Readonly<Record<string, number>>>> }];
        for (const [attack, answers] of Object.entries(counts)) tools.say(`${attack}: ${JSON.stringify(answers)}`);
        await pause(REST_MS);
        return [
          figure('a request of ten accounts at rest, 99 of 100', percentile(alone.times, 0.99), 'ms'),
          figure('while one address attacks, 99 of 100', percentile(attacked.times, 0.99), 'ms', {
            ...{ ceiling: percentile(alone.times, 0.99), goal: { atMost: 250 } },
          }),
          figure('the same after its first five seconds', percentile(attacked.laterTimes, 0.99), 'ms', {
            ...{ ceiling: percentile(alone.times, 0.99), goal: { atMost: 250 } },
          }),
          figure('requests of theirs that were refused', alone.refused + attacked.refused, 'requests', { goal: { atMost: 0 } }),
          figure('inconclusive runs of checks', (await inconclusiveRuns(service)) - inconclusive, 'runs', { goal: { atMost: 0 } }),
          figure('memory half a minute later, against that at rest', await residentMegabytes(service.pid), 'MB', {
            ...{ ceiling: restMb, goal: { ratioAtMost: 1.3 } },
          }),
        ];
      } finally {
        await pool.end();
        site.close();
      }
    },
    settings,
  );
};

export default bench;

const pause = (milliseconds: number): Promise<void> => new Promise((over) => setTimeout(over, milliseconds));

async function workerOf(people: TestAccounts, url: string): Promise<Worker & { readonly api: ApiClient }> {
  const { api } = await people.register('worker');
  const { id } = (await api.post('/project/create', { url, addPresetChecks: false })).body as { readonly id: string };
  await api.post(`/project/${id}/tests`, { name: 'Home', url, rules: [{ type: 'text', op: 'sub', val: 'Welcome' }] });
  return { api, token: api.token ?? '', projectId: id };
}

/** A status page that asks for a password. */
async function lockedPage(api: ApiClient, project: string): Promise<string> {
  const groups = [{ name: 'Sites', items: [{ name: 'Site', project }] }];
  const page = { slug: 'locked', title: 'Locked', access: 'password', password: 'a long enough password', groups };
  const { status, text } = await api.post('/status-pages', page);
  if (status !== 200) throw new Error(text);
  return page.slug;
}

/** Every account sends a request when it is due, independent of earlier answers. */
async function work(address: string, workers: readonly Worker[], milliseconds: number): Promise<Answers> {
  const agent = new Agent({ keepAlive: true });
  const began = performance.now();
  const [times, laterTimes]: [number[], number[]] = [[], []];
  let refused = 0;
  const one = ({ token, projectId }: Worker, count: number): Promise<void> =>
    new Promise((done) => {
      const [sentAt, isWrite] = [performance.now(), count % WRITES === 0];
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answered = (isFine: boolean): void => {
        times.push(performance.now() - sentAt);
        if (sentAt - began > FIRST_MS) laterTimes.push(performance.now() - sentAt);
        if (!isFine) refused++;
        done();
      };
      const sent = request(`${address}/api/project/${projectId}`, { method: isWrite ? 'PUT' : 'GET', agent, headers }, (answer) => {
        answer.resume().once('end', () => {
          answered(answer.statusCode === 200);
        });
      });
      sent.once('error', () => {
        answered(false);
      });
      sent.end(isWrite ? JSON.stringify({ title: `Title ${String(count)}` }) : undefined);
    });
  const sent: Promise<void>[] = [];
  for (let count = 0; performance.now() - began < milliseconds; count++) {
    for (const worker of workers) sent.push(one(worker, count));
    const ahead = (count + 1) * READ_EVERY_MS - (performance.now() - began);
    if (ahead > 0) await pause(ahead);
  }
  await Promise.all(sent);
  agent.destroy();
  return { times, laterTimes, refused };
}

async function inconclusiveRuns({ address }: Program): Promise<number> {
  const text = await (await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(10_000) })).text();
  return Number(/^watchledger_own_trouble_total (\d+)$/m.exec(text)?.[1] ?? NaN);
}
