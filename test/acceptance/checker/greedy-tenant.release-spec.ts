import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/api-client.ts';
import { TestService } from '../../support/service.ts';
import { type Site, startHttp, startSilent } from '../../support/servers/site.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';

const HOSTS = 388;
const CHECKER_FETCHES = 200;
const env = { REGISTRATION: 'open', RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8', CHECKER_FETCHES: String(CHECKER_FETCHES) };

let service: TestService;
let people: TestAccounts;
let silent: Site;
let shop: Site;
const sockets = new Set<Socket>();

beforeAll(async () => {
  silent = await startSilent((socket) => {
    sockets.add(socket);
    socket.resume();
    socket.once('close', () => sockets.delete(socket));
  }, '0.0.0.0');
  shop = await startHttp((_, response) => response.setHeader('content-type', 'text/html').end('<title>Shop</title>'));
  service = await TestService.start({ env });
  people = new TestAccounts(service);
});
afterAll(async () => {
  await service.stop();
  await Promise.all([silent.close(), shop.close()]);
});

/** A project that checks each of the urls, on demand only. */
async function projectOf(owner: TestAccount, url: string, urls: readonly string[]): Promise<string> {
  const { api } = owner;
  const id = await people.project(owner, url);
  await api.put(`/project/${id}`, { period: false, uptimeEnabled: false, timeout: 30 });
  const areaId = (await api.post(`/project/${id}/areas`, { name: 'All' })).body.id as string;
  for (let from = 0; from < urls.length; from += 20)
    await Promise.all(urls.slice(from, from + 20).map((one) => api.post(`/project/${id}/tests`, { areaId, url: one, name: one })));
  return id;
}

const start = async ({ api }: TestAccount, id: string): Promise<() => Promise<Json>> => {
  const { jobId } = (await api.get(`/project/${id}/start`)).body as { jobId: string };
  return async () => (await api.get(`/project/${id}/job/${jobId}/results`)).body;
};

describe('an account with a job on hundreds of hosts that accept and never answer', () => {
  it('holds its share of the fetches only, and the job of another account ends in time', async () => {
    const [greedy, other] = [await people.register('greedy'), await people.register('other')];
    const hosts = Array.from(
      { length: HOSTS },
      (_, nth) => `http://127.${String(1 + (nth >> 8))}.${String(nth & 255)}.9:${String(silent.port)}/`,
    );
    const flood = await projectOf(greedy, hosts[0] ?? '', hosts);
    const calm = await projectOf(other, shop.url, [`${shop.url}/a`, `${shop.url}/b`]);
    await start(greedy, flood);
    await until(() => Promise.resolve(sockets.size >= CHECKER_FETCHES / 4), 20_000, 'the flood');
    const results = await start(other, calm);
    const began = Date.now();
    await until(async () => (await results()).processed === true, 15_000, 'the end of the other job');
    // Behind the flood it would wait until those fetches time out, after 30 s.
    expect(Date.now() - began).toBeLessThan(20_000);
    expect((await results()).results).toHaveLength(2);
    expect(sockets.size).toBeLessThanOrEqual(CHECKER_FETCHES / 2);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(Number(/^watchledger_checker_largest_share\{queue="fetches"\} (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0.2);
    expect(Number(/^watchledger_checker_queue\{queue="job fetches"\} (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(HOSTS / 2);
    // The others are served: the queue of the flood does not take the instance out of service.
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  });
});
