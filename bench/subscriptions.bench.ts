import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { type Bench, figure, median } from './support/bench.ts';
import { type Program, startProgram } from './support/program.ts';

const ROOT = resolve(import.meta.dirname, '..');
const EVENTS = 50_000;
const PROJECTS = 2_000;
const CONSUMERS = 4;
const LIMIT = 1_000;
const IDLE = 200;
const IDLE_MS = 6_000;
const ROUNDS = 3;
const TICKS_PER_SECOND = 100;
const ADMIN = { email: 'bench@example.test', password: 'correct horse battery staple' };

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

class Client {
  token: string | null = null;

  constructor(private readonly address: string) {}

  async send<Body>(method: string, path: string, body: object, signal?: AbortSignal): Promise<Body> {
    const answer = await fetch(`${this.address}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(this.token !== null && { authorization: `Bearer ${this.token}` }) },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${String(answer.status)} ${text}`);
    return (text.startsWith('{') ? JSON.parse(text) : text) as Body; // as the API answers
  }
}

interface Page {
  readonly deliveries: readonly { readonly token: string }[];
}

interface GroupRates {
  readonly perSecond: number;
  readonly ofCpu: number;
}

/** Events per second that a group of consumers takes and acknowledges over HTTP, also by the CPU of the service. */
async function consume(client: Client, service: Program, partition: 'project' | 'none'): Promise<GroupRates> {
  const name = `group-${partition}`;
  await client.send('PUT', `/subscriptions/${name}`, { filter: { types: ['RecordAccessed'] }, partition, maxInFlight: 5_000 });
  let acknowledged = 0;
  const [cpu, began] = [await cpuOf(service), performance.now()];
  const finished = new AbortController();
  const none = { deliveries: [] };
  await Promise.all(
    Array.from({ length: CONSUMERS }, async (_, index) => {
      const order = { consumer: `consumer-${String(index)}`, limit: LIMIT, wait: 30 };
      while (!finished.signal.aborted) {
        const reading = client.send<Page>('POST', `/subscriptions/${name}/read`, order, finished.signal);
        const { deliveries } = await reading.catch((error: unknown) => (finished.signal.aborted ? none : Promise.reject(error as Error)));
        if (deliveries.length === 0) continue;
        const { done } = await client.send<{ readonly done: number }>('POST', `/subscriptions/${name}/ack`, {
          tokens: deliveries.map(({ token }) => token),
        });
        acknowledged += done;
        if (acknowledged >= EVENTS) finished.abort();
      }
    }),
  );
  // The reads themselves are in the record, once a day.
  return {
    perSecond: (acknowledged * 1_000) / (performance.now() - began),
    ofCpu: acknowledged / ((await cpuOf(service)) - cpu),
  };
}

async function readInProcess(url: string): Promise<number> {
  const pool = openPool(url, { name: 'bench', max: 2 });
  try {
    const began = performance.now();
    const stop = new AbortController();
    let count = 0;
    for await (const page of new PostgresLog(pool, new LocalWake()).follow(-1, stop.signal, 2_000)) {
      count += page.length;
      if (count >= EVENTS) stop.abort();
    }
    return (count * 1_000) / (performance.now() - began);
  } finally {
    await pool.end();
  }
}

/** Seconds of CPU that the service has used. */
async function cpuOf({ pid }: Program): Promise<number> {
  const fields = (await readFile(`/proc/${String(pid)}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Sealing what was written before the start is no part of the measurement. */
async function sealed(address: string): Promise<void> {
  for (let size = 0; size < EVENTS; await pause(200))
    size = Number((await (await fetch(`${address}/api/ledger/checkpoint`)).text()).split('\n')[1] ?? 0) || 0;
}

/** The part of a core that the service uses for a while, in percent. */
async function loadOf(service: Program): Promise<number> {
  const [before, began] = [await cpuOf(service), performance.now()];
  await pause(IDLE_MS);
  return (((await cpuOf(service)) - before) / (performance.now() - began)) * 1_000 * 100;
}

/** What two hundred subscriptions, each with a consumer that waits, add to the idle load of the service. */
async function idleLoad(client: Client, service: Program): Promise<number> {
  const names = Array.from({ length: IDLE }, (_, index) => `idle-${String(index)}`);
  for (const name of names) await client.send('PUT', `/subscriptions/${name}`, { filter: { types: ['ProjectDeleted'] }, from: 'now' });
  const added: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await pause(2_000);
    const without = await loadOf(service);
    const stop = new AbortController();
    const waiting = names.map((name) =>
      client.send<Page>('POST', `/subscriptions/${name}/read`, { consumer: 'idle', wait: 60 }, stop.signal).catch(() => null),
    );
    await pause(4_000);
    added.push((await loadOf(service)) - without);
    stop.abort();
    await Promise.all(waiting);
  }
  return Math.max(0, median(added));
}

/** A group of four consumers over HTTP, against reading the same log in process, and the load of idle subscriptions. */
const bench: Bench = async ({ database, say }) => {
  const url = await database();
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
  const env = {
    ...{ PORT: '0', DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString('hex'), RATE_LIMIT: '0' },
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATA_DIR: join(folder, 'data'), MAX_SUBSCRIPTIONS: '500' },
    ...{ LOG_LEVEL: 'info', DEFAULT_PLAN: 'unlimited' },
  };
  const pool = openPool(url, { name: 'bench', max: 1, statementTimeoutMs: 0 });
  say(`writing ${EVENTS.toLocaleString('en')} events ...`);
  await pool.query(SEED, [EVENTS, PROJECTS]);
  await pool.query('VACUUM ANALYZE log');
  await pool.end();
  const service = await startProgram(join(ROOT, 'dist/main.js'), env, folder);
  try {
    const client = new Client(service.address);
    client.token = await client.send<string>('POST', '/authenticate', ADMIN);
    await sealed(service.address);
    say('one group after the other ...');
    const ceiling = await readInProcess(url);
    const none = await consume(client, service, 'none');
    const project = await consume(client, service, 'project');
    say(`${String(IDLE)} idle subscriptions ...`);
    const idle = await idleLoad(client, service);
    return [
      figure('acknowledged by four consumers, without partitions', none.perSecond, 'events/s', { ceiling, goal: { atLeast: 10_000 } }),
      figure('the same by the CPU of the service', none.ofCpu, 'events/s of CPU', { goal: { atLeast: 10_000 } }),
      figure('acknowledged by four consumers, in order in 2,000 projects', project.perSecond, 'events/s', { ceiling }),
      figure('the same in 2,000 projects by the CPU of the service', project.ofCpu, 'events/s of CPU', { goal: { atLeast: 10_000 } }),
      figure('200 subscriptions with a waiting consumer, idle', idle, '% of a core', { goal: { atMost: 1 } }),
    ];
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

export default bench;

/** Events that no read model folds. */
const SEED = `
  INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
  SELECT n, n::text, gen_random_uuid(), 'project-' || lpad(to_hex(n % $2), 24, '0'), n / $2, 'RecordAccessed', 1,
    'project-' || lpad(to_hex(n % $2), 24, '0'), now() - interval '1 day' + n * interval '1 millisecond',
    '{"kind":"read","day":"2026-11-21","filling":"' || repeat('x', 120) || '"}',
    '{"actor":{"kind":"checker","id":"eu-1"},"correlationId":"' || a || '","causationId":null,"commandId":"' || a
      || '","occurredAt":"2026-11-21T12:00:00.123Z"}'
  FROM generate_series(0, $1::bigint - 1) AS n, gen_random_uuid() AS a`;
