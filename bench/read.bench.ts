import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Bench, type BenchTools, figure, inTurns, median } from './support/bench.ts';
import { processSeconds } from './support/processor.ts';
import { type Program, residentMegabytes, startProgram } from './support/program.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CONNECTIONS = 32;
const PROJECTS = 100;
const ROUND_MS = 2_000;
const ADMIN = { email: 'bench@example.test', password: 'correct horse battery staple' };

/** Requests per second over keep-alive connections, cycling through the URLs, and the time of each. */
async function load(
  urls: readonly string[],
  token: string,
): Promise<{ readonly count: number; readonly rate: number; readonly p99: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  const one = (): Promise<void> =>
    new Promise((done, failed) => {
      const sent = performance.now();
      const url = urls[next++ % urls.length] ?? '';
      get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
        response.resume().once('end', () => {
          times.push(performance.now() - sent);
          if (response.statusCode === 200) done();
          else failed(new Error(`${url} answered ${String(response.statusCode)}`));
        });
      }).once('error', failed);
    });
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() - began < ROUND_MS) await one();
    }),
  );
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    count: times.length,
    rate: (times.length * 1000) / (performance.now() - began),
    p99: times[Math.floor(times.length * 0.99)] ?? NaN,
  };
}

async function json(url: string, body: object | null, token?: string): Promise<string> {
  const answer = await fetch(url, {
    method: body === null ? 'GET' : 'POST',
    headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.text();
}

async function withService<T>(tools: BenchTools, work: (service: Program, url: string, jwtKey: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
  const jwtKey = randomBytes(32).toString('hex');
  const url = await tools.database();
  const env = {
    ...{ PORT: '0', DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString('hex'), JWT_KEY: jwtKey, RATE_LIMIT: '0', LOG_LEVEL: 'info' },
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATA_DIR: join(folder, 'data') },
  };
  try {
    const first = await startProgram(join(ROOT, 'dist/main.js'), env, folder);
    await first.stop();
    const service = await startProgram(join(ROOT, 'dist/main.js'), env, folder);
    try {
      return await work(service, url, jwtKey);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reading a project over HTTP, beside a bare Fastify that verifies the same token and reads the same row; the start and the memory of the service. */
const bench: Bench = (tools) =>
  withService(tools, async (service, databaseUrl, jwtKey) => {
    await new Promise((nothingHappens) => setTimeout(nothingHappens, 3_000));
    const idle = await residentMegabytes(service.pid);
    const token = await json(`${service.address}/api/authenticate`, ADMIN);
    const ids: string[] = [];
    while (ids.length < PROJECTS) {
      const made = await json(`${service.address}/api/project/create`, { url: 'https://example.com' }, token);
      ids.push((JSON.parse(made) as { id: string }).id);
    }
    const bare = await startProgram(
      join(import.meta.dirname, 'support/bare-server.mjs'),
      { DATABASE_URL: databaseUrl, JWT_KEY: jwtKey },
      ROOT,
    );
    try {
      const p99s = { service: [] as number[], bare: [] as number[] };
      const cpus = { service: [] as number[], bare: [] as number[] };
      const pids = { service: service.pid, bare: bare.pid };
      const urls = {
        service: ids.map((id) => `${service.address}/api/project/${id}`),
        bare: ids.map((id) => `${bare.address}/${id}`),
      };
      const round = (which: keyof typeof urls) => async (): Promise<number> => {
        const before = processSeconds(pids[which]);
        const { count, rate, p99 } = await load(urls[which], token);
        p99s[which].push(p99);
        cpus[which].push(((processSeconds(pids[which]) - before) * 1_000_000) / count);
        return rate;
      };
      for (const which of ['service', 'bare'] as const) await round(which)();
      for (const { service: ofService, bare: ofBare } of [p99s, cpus]) ofService.length = ofBare.length = 0;
      const rates = await inTurns(3, { service: round('service'), bare: round('bare') });
      return [
        figure('GET /project/{id}, authenticated, 32 connections', rates.service, 'requests/s', {
          ceiling: rates.bare,
          goal: { ratio: 0.75 },
        }),
        figure('GET /project/{id}, processor of the process for each', median(cpus.service), 'µs of CPU', { ceiling: median(cpus.bare) }),
        figure('GET /project/{id}, 99 of 100 (ceiling: of the bare server)', Math.min(...p99s.service), 'ms', {
          ceiling: Math.min(...p99s.bare),
          goal: { ratioAtMost: 1.2 },
        }),
        figure('ready after the start of the process, database there', service.readyMs, 'ms', { goal: { atMost: 700 } }),
        figure('memory of the idle service', idle, 'MB', { goal: { atMost: 180 } }),
      ];
    } finally {
      await bare.stop();
    }
  });

export default bench;
