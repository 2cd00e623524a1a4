import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { KurrentDbDouble } from '../test/support/kurrentdb-double/kurrentdb-double.ts';
import { EventStoreProcess } from '../test/support/servers/event-store-process.ts';
import { type Bench, figure, inTurns, median, rate } from './support/bench.ts';
import { type Program, residentMegabytes, startProgram } from './support/program.ts';

const MAIN = resolve(import.meta.dirname, '../dist/main.js');
const ADMIN = { email: 'bench@example.test', password: 'correct horse battery staple' };
const CLIENTS = 16;
const SPAN_MS = 3_000;

/** The whole service from a write over HTTP to its answer, after which every read sees the write: with the events in Postgres and in an event store. */
const bench: Bench = async ({ database, say }) => {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-engines-'));
  const server = await eventStore(process.env['TEST_EVENTSTORE'], folder, say);
  const open: Service[] = [];
  const start = async (name: string, env: Readonly<Record<string, string>>): Promise<Service> => {
    const service = await Service.start(join(folder, name), { DATABASE_URL: await database(), ...env });
    open.push(service);
    return service;
  };
  try {
    const embedded = await start('embedded', {});
    const store = await start('store', { EVENTSTORE_URL: server.url });
    const alone = await inTurns(3, { embedded: () => embedded.latency(), store: () => store.latency() });
    const many = await inTurns(3, { embedded: () => embedded.throughput(), store: () => store.throughput() });
    const memory = { embedded: await residentMegabytes(embedded.pid), store: await residentMegabytes(store.pid) };
    const against = (of: { readonly embedded: number }): { ceiling: number } => ({ ceiling: of.embedded });
    return [
      figure('a write over HTTP, readable when answered, on an event store (ceiling: embedded)', alone.store, 'ms', against(alone)),
      figure(`the same with ${String(CLIENTS)} clients`, many.store, 'writes/s', against(many)),
      figure('memory of the service after that', memory.store, 'MB', against(memory)),
    ];
  } finally {
    for (const service of open) await service.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

export default bench;

async function eventStore(
  command: string | undefined,
  folder: string,
  say: (line: string) => void,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  if (command === undefined) {
    say('against the double, in this process: TEST_EVENTSTORE is not set');
    const double = await KurrentDbDouble.start();
    return { url: double.url, stop: () => double.stop() };
  }
  say('against the server that TEST_EVENTSTORE starts, on the disk');
  const node = await EventStoreProcess.at(command);
  node.start({ db: join(folder, 'events'), log: join(folder, 'log') });
  await node.ready();
  return { url: `esdb://${node.address}?tls=false`, stop: () => node.kill() };
}

class Service {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  private turn = 0;

  private constructor(
    private readonly program: Program,
    private readonly token: string,
    private readonly projects: readonly string[],
  ) {}

  static async start(folder: string, env: Readonly<Record<string, string>>): Promise<Service> {
    const own = { PORT: '0', MASTER_KEY: randomBytes(32).toString('hex'), RATE_LIMIT: '0', LOG_LEVEL: 'info', DATA_DIR: folder };
    const admin = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };
    const program = await startProgram(MAIN, { ...own, ...admin, ...env }, tmpdir());
    const signIn = new Service(program, '', []);
    const service = new Service(program, await signIn.ask('POST', '/authenticate', ADMIN), []);
    const ids: string[] = [];
    while (ids.length < CLIENTS) {
      const wanted = { url: 'https://example.com', checkInterval: 'false' };
      const { id } = JSON.parse(await service.ask('POST', '/project/create', wanted)) as { id: string };
      await service.ask('PUT', `/project/${id}`, { uptimeEnabled: 'false', httpsRedirectEnabled: false });
      ids.push(id);
    }
    return new Service(program, service.token, ids);
  }

  get pid(): number {
    return this.program.pid;
  }

  /** Of one client, half of the writes. */
  async latency(): Promise<number> {
    const times: number[] = [];
    const began = performance.now();
    while (performance.now() - began < SPAN_MS) {
      const sent = performance.now();
      await this.write(0);
      times.push(performance.now() - sent);
    }
    return median(times);
  }

  throughput(): Promise<number> {
    return rate(SPAN_MS, CLIENTS, (client) => this.write(client));
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    await this.program.stop();
  }

  private async write(client: number): Promise<void> {
    await this.ask('PUT', `/project/${this.projects[client] ?? ''}`, { title: `Title ${String(this.turn++)}` });
  }

  private ask(method: string, path: string, body: object): Promise<string> {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
    const token = this.token === '' ? {} : { authorization: `Bearer ${this.token}` };
    return new Promise((done, failed) => {
      const sending = request(`${this.program.address}/api${path}`, { method, agent: this.agent, headers: { ...headers, ...token } });
      sending.once('error', failed).once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => {
          if (response.statusCode === 200) done(Buffer.concat(chunks).toString());
          else failed(new Error(`${method} ${path} was answered ${String(response.statusCode)}`));
        });
      });
      sending.end(text);
    });
  }
}
