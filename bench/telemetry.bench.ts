import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { noTracer } from '../src/kernel/tracer.ts';
import { type Bench, type BenchTools, figure, inTurns } from './support/bench.ts';
import { processSeconds } from './support/processor.ts';
import { type Program, startProgram } from './support/program.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ADMIN = { email: 'bench@example.test', password: 'correct horse battery staple' };
const ROUNDS = 5;
const REQUESTS = 400;
const WORKERS = 8;
const CALLS = 1_000_000;

interface Candidate {
  readonly program: Program;
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** Answers every export. */
async function startCollector(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

async function send(method: string, url: string, body: object, token?: string): Promise<string> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} answered ${String(answer.status)}: ${text}`);
  return text;
}

async function startCandidate(tools: BenchTools, env: Readonly<Record<string, string>>): Promise<Candidate> {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
  const program = await startProgram(
    join(ROOT, 'dist/main.js'),
    {
      ...{
        PORT: '0',
        DATABASE_URL: await tools.database(),
        MASTER_KEY: randomBytes(32).toString('hex'),
        RATE_LIMIT: '0',
        LOG_LEVEL: 'info',
      },
      ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATA_DIR: join(folder, 'data'), ROLES: 'api,projector' },
      ...env,
    },
    folder,
  );
  const token = await send('POST', `${program.address}/api/authenticate`, ADMIN);
  const made = await send('POST', `${program.address}/api/project/create`, { url: 'https://example.com' }, token);
  const url = `${program.address}/api/project/${(JSON.parse(made) as { id: string }).id}`;
  return { program, url, token, stop: () => program.stop().then(() => rm(folder, { recursive: true, force: true })) };
}

/** CPU milliseconds of the service for a request: half of them write, half read. */
async function cost({ program, url, token }: Candidate): Promise<number> {
  const before = processSeconds(program.pid);
  let next = 0;
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      while (next < REQUESTS) {
        const turn = next++;
        if (turn % 2 === 0) await send('PUT', url, { title: `Title ${String(turn)} ${randomBytes(4).toString('hex')}` }, token);
        else await fetch(url, { headers: { authorization: `Bearer ${token}` } }).then((answer) => answer.text());
      }
    }),
  );
  return ((processSeconds(program.pid) - before) * 1_000) / REQUESTS;
}

/** Nanoseconds of a span that is not recorded. */
function costOff(): number {
  const began = process.cpuUsage();
  for (let n = 0; n < CALLS; n++) {
    const span = noTracer.start('command project', { kind: 'internal', parent: null, attributes: { 'watchledger.stream': 'project-1' } });
    span.set({ 'watchledger.events': 'ProjectRenamed' });
    span.end();
  }
  const { user, system } = process.cpuUsage(began);
  return ((user + system) * 1_000) / CALLS;
}

/** The CPU time of a request with and without the export of traces and metrics, in alternating rounds. */
const bench: Bench = async (tools) => {
  const collector = await startCollector();
  const { port } = collector.address() as AddressInfo;
  const off = await startCandidate(tools, {});
  const on = await startCandidate(tools, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}` });
  try {
    for (const candidate of [off, on]) await cost(candidate);
    const costs = await inTurns(ROUNDS, { off: () => cost(off), on: () => cost(on) });
    costOff();
    return [
      figure('a request with OTLP (ceiling: without)', costs.on, 'ms of CPU', { ceiling: costs.off, goal: { ratioAtMost: 1.05 } }),
      figure('a span that is not recorded', costOff(), 'ns of CPU', { goal: { atMost: 1_000 } }),
    ];
  } finally {
    await Promise.all([off.stop(), on.stop()]);
    collector.close();
  }
};

export default bench;
