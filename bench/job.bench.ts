import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SsrfGuard } from '../src/platform/security/ssrf-guard/ssrf-guard.ts';
import { Prober } from '../src/checker/probe/prober.ts';
import { type Bench, figure, inTurns, median } from './support/bench.ts';
import { openPageSite, twentyKilobytes } from './support/page-site.ts';
import { startProgram } from './support/program.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ADMIN = { email: 'bench@example.test', password: 'correct horse battery staple' };
const CHECKS = 100;
/** A host receives one request at a time, so this is the concurrency. */
const HOSTS = 50;
/** Response time of a distant site. */
const ANSWER_MS = 250;
const STARTS = 40;
const ROUNDS = 5;

/** Overhead of the service: the time to start a job, and a job of a hundred checks compared with the hundred fetches alone. */
const bench: Bench = async ({ database, say }) => {
  const site = await openPageSite(twentyKilobytes(), { host: '0.0.0.0', afterMs: ANSWER_MS });
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
  const service = await startProgram(
    join(ROOT, 'dist/main.js'),
    {
      ...{ PORT: '0', DATABASE_URL: await database(), MASTER_KEY: randomBytes(32).toString('hex'), RATE_LIMIT: '0', LOG_LEVEL: 'info' },
      ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATA_DIR: join(folder, 'data'), ALLOW_TARGETS: '127.0.0.0/8' },
    },
    folder,
  );
  try {
    const client = await signedIn(service.address);
    const urls = Array.from(
      { length: CHECKS },
      (_, index) => `http://127.0.0.${String(1 + (index % HOSTS))}:${String(site.http)}/${String(index)}`,
    );
    say(`making a project of ${String(CHECKS)} checks ...`);
    const projectId = (await client('POST', '/project/create', { url: urls[0] }))['id'] as string;
    await client('PUT', `/project/${projectId}`, { period: false, uptimeEnabled: false, delay: 0, timeout: 30 });
    const small = (await client('POST', `/project/${projectId}/areas`, { name: 'One' }))['id'] as string;
    const large = (await client('POST', `/project/${projectId}/areas`, { name: 'Hundred' }))['id'] as string;
    const rules = [{ type: 'text', op: 'sub', val: 'Welcome' }];
    await client('POST', `/project/${projectId}/tests`, { areaId: small, url: '/', name: 'Page', rules });
    for (const url of urls) await client('POST', `/project/${projectId}/tests`, { areaId: large, url, name: 'Page', rules });

    const job = async (): Promise<number> => {
      const began = performance.now();
      const { jobId } = await client('GET', `/project/${projectId}/start/area/${large}?keep-alive=true`);
      const milliseconds = performance.now() - began;
      const { total, failed } = await client('GET', `/project/${projectId}/job/${String(jobId)}/results`);
      if (total !== CHECKS || failed !== 0) throw new Error(`the job counted ${String(total)}, of which ${String(failed)} failed`);
      return CHECKS / (milliseconds / 1_000);
    };
    // Warm-up: the first verdicts, and all one-time work.
    await job();
    await fetches(urls);
    const startTimes: number[] = [];
    for (let start = 0; start < STARTS; start++) {
      const began = performance.now();
      await client('GET', `/project/${projectId}/start/area/${small}`);
      startTimes.push(performance.now() - began);
      await client('GET', `/project/${projectId}/start/area/${small}?keep-alive=true`);
    }
    const rates = await inTurns(ROUNDS, { job, fetches: () => fetches(urls) });
    return [
      figure('from the request that starts a job to its answer', median(startTimes), 'ms', { goal: { atMost: 30 } }),
      figure(
        `a job of ${String(CHECKS)} checks on ${String(HOSTS)} hosts that answer after ${String(ANSWER_MS)} ms, against the fetches alone`,
        rates.job,
        'checks/s',
        {
          ceiling: rates.fetches,
          goal: { ratio: 0.87 },
        },
      ),
    ];
  } finally {
    await service.stop();
    site.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default bench;

/** The same fetches with the same concurrency, sequential per host; returns fetches per second. */
async function fetches(urls: readonly string[]): Promise<number> {
  const prober = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) });
  const began = performance.now();
  await Promise.all(
    Array.from({ length: HOSTS }, async (_, host) => {
      for (const url of urls.filter((__, index) => index % HOSTS === host)) {
        const outcome = await prober.fetch({ url, timeoutMs: 30_000, userAgent: 'Watchledger' });
        if (outcome.kind !== 'answered') throw new Error(`${url}: ${outcome.reason}`);
      }
    }),
  );
  return urls.length / ((performance.now() - began) / 1_000);
}

async function signedIn(address: string): Promise<(method: string, path: string, body?: object) => Promise<Record<string, unknown>>> {
  const ask = async (method: string, path: string, token: string | null, body?: object): Promise<Response> => {
    const answer = await fetch(`${address}/api${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...(token !== null && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status !== 200) throw new Error(`${method} ${path} was answered ${String(answer.status)} ${await answer.text()}`);
    return answer;
  };
  const token = await (await ask('POST', '/authenticate', null, ADMIN)).text();
  return async (method, path, body) => (await ask(method, path, token, body)).json() as Promise<Record<string, unknown>>;
}
