import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Bench, figure, median } from './support/bench.ts';
import { residentMegabytes, startProgram } from './support/program.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CLIENTS = 500;
const PROJECTS = 50;
const ADMIN = { email: 'bench@example.test', password: 'correct horse battery staple' };

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

async function send(method: string, url: string, token: string | null, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${String(answer.status)}`);
  return answer.text();
}

/** The median of several measurements, because the heap fluctuates. */
async function resident(pid: number): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 9; look++) {
    looks.push(await residentMegabytes(pid));
    await pause(500);
  }
  return median(looks);
}

/** The memory that five hundred concurrent live streams cost the service. */
const bench: Bench = async ({ database, say }) => {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
  const env = {
    ...{ PORT: '0', DATABASE_URL: await database(), MASTER_KEY: randomBytes(32).toString('hex'), RATE_LIMIT: '0', LOG_LEVEL: 'info' },
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATA_DIR: join(folder, 'data') },
  };
  const service = await startProgram(join(ROOT, 'dist/main.js'), env, folder);
  const agent = new Agent({ keepAlive: false });
  const streams: IncomingMessage[] = [];
  try {
    const api = `${service.address}/api`;
    const token = await send('POST', `${api}/authenticate`, null, ADMIN);
    const projects: string[] = [];
    while (projects.length < PROJECTS) {
      const made = await send('POST', `${api}/project/create`, token, { url: 'https://example.com', checkInterval: 'false' });
      projects.push((JSON.parse(made) as { id: string }).id);
    }
    const open = (url: string): Promise<IncomingMessage> =>
      new Promise((opened, failed) => {
        get(url, { agent, headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } }, (response) => {
          if (response.statusCode === 200) opened(response.resume());
          else failed(new Error(`${url} answered ${String(response.statusCode)}`));
        }).once('error', failed);
      });
    // Warm-up: excludes the one-time cost of opening, answering and closing.
    const warm = await Promise.all(projects.map((id) => open(`${api}/project/${id}/live`)));
    for (const stream of warm) stream.destroy();
    await pause(3_000);
    const before = await resident(service.pid);
    say(`${String(CLIENTS)} clients ...`);
    for (let client = 0; client < CLIENTS; client += 50) {
      const opening = Array.from({ length: 50 }, (_, index) => open(`${api}/project/${projects[(client + index) % PROJECTS] ?? ''}/live`));
      streams.push(...(await Promise.all(opening)));
    }
    await pause(3_000);
    const after = await resident(service.pid);
    if (streams.some(({ destroyed }) => destroyed)) throw new Error('a stream was cut off');
    return [
      figure(`memory of ${String(CLIENTS)} live clients`, Math.max(0, after - before), 'MB', { goal: { atMost: 60 } }),
      figure('of each of them', (Math.max(0, after - before) * 1_000) / CLIENTS, 'KB'),
    ];
  } finally {
    for (const stream of streams) stream.destroy();
    agent.destroy();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

export default bench;
