import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Much longer than a balancer needs to see that an instance is not ready, also on a busy machine. */
const DRAIN_SECONDS = 5;
const WORKERS = 6;

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', DRAIN_SECONDS: String(DRAIN_SECONDS) };
let ports: readonly number[];
let instances: TestService[] = [];
let owner: TestAccount;
let projectId: string;
beforeAll(async () => {
  ports = [await freePort(), await freePort()];
  const first = await TestService.start({ env: { ...env, PORT: String(ports[0]) } });
  instances = [first, await TestService.start({ beside: first, env: { ...env, PORT: String(ports[1]) } })];
  const people = new TestAccounts(first);
  owner = await people.register();
  projectId = await people.project(owner);
});
afterAll(async () => {
  for (const instance of instances.toReversed()) await instance.stop();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const agent = new Agent({ keepAlive: true });
const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** A load balancer with kept-alive connections to the instances that were ready a moment ago. It retries nothing. */
class Balancer {
  readonly failures: string[] = [];
  answered = 0;
  closed = 0;
  private readonly ready = new Set<string>();
  private readonly stopped = new AbortController();
  private readonly work: Promise<unknown>;
  private turn = 0;

  constructor(private readonly urls: readonly string[]) {
    this.work = Promise.all([...urls.map((url) => this.ask(url)), ...Array.from({ length: WORKERS }, () => this.loop())]);
  }

  isUsed = (url: string): boolean => this.ready.has(url);

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.work;
  }

  private async ask(url: string): Promise<void> {
    while (!this.stopped.signal.aborted) {
      if (await isReady(url)) this.ready.add(url);
      else this.ready.delete(url);
      await pause(50);
    }
  }

  private async loop(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      const usable = this.urls.filter(this.isUsed);
      const url = usable[this.turn++ % usable.length];
      if (url !== undefined) await this.send(url).catch((error: unknown) => this.failures.push(`${url}: ${String(error)}`));
      await pause(5);
    }
  }

  private send(url: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${owner.api.token ?? ''}` };
      const sent = request(`${url}/api/project/${projectId}`, { agent, headers }, (answer) => {
        answer.resume();
        answer.once('error', reject).once('end', () => {
          this.answered++;
          if (answer.headers.connection === 'close') this.closed++;
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`was answered ${String(answer.statusCode)}`));
        });
      });
      sent.once('error', reject).end();
    });
  }
}

it('loses no request in a rolling restart of two instances behind a balancer', async () => {
  const urls = instances.map(({ url }) => url);
  const balancer = new Balancer(urls);
  for (const [index, url] of urls.entries()) {
    await until(() => Promise.resolve(urls.every(balancer.isUsed)), 10_000, 'the use of both instances');
    const old = instances[index];
    const other = instances[1 - index];
    if (old === undefined || other === undefined) throw new Error('an instance is missing');
    const { answered } = balancer;
    const ended = old.terminate();
    await until(async () => !(await isReady(url)), 2_000, 'the end of readiness');
    // Ready no more, and still listening.
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    await ended;
    expect(balancer.answered).toBeGreaterThan(answered);
    instances[index] = await TestService.start({ beside: other, env: { ...env, PORT: String(ports[index]) } });
  }
  await until(() => Promise.resolve(urls.every(balancer.isUsed)), 10_000, 'the use of both instances again');
  await balancer.stop();
  expect(balancer.failures).toEqual([]);
  expect(balancer.closed).toBeGreaterThan(0);
});
