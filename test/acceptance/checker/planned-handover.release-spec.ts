import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestService } from '../../support/service.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8' };
const PERIOD_MS = 15_000;
/** Enough for every shard to have some, spread over the period. */
const PATHS = Array.from({ length: 40 }, (_, index) => `/watched/${String(index)}`);
const services: TestService[] = [];
const asked = new Map<string, number[]>();
let site: Site;

beforeAll(async () => {
  site = await startHttp((request, response) => {
    // Certificates, redirects and homepages are looked at through the url of the project.
    const times = asked.get(request.url ?? '');
    times?.push(Date.now());
    setTimeout(() => response.end('ok'), 200);
  });
  services.push(await TestService.start({ env }));
});
afterAll(async () => {
  for (const service of [...services].reverse()) await service.stop();
  await site.close();
});

const settle = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
/** The times between two probes of a site that are not those of its period. */
const irregular = (since: number): readonly string[] =>
  [...asked].flatMap(([path, times]) =>
    times.flatMap((at, index) => {
      const gap = at - (times[index - 1] ?? at);
      return index === 0 || at < since || (gap > PERIOD_MS - 6_000 && gap < PERIOD_MS + 6_000) ? [] : [`${path}: ${String(gap)} ms`];
    }),
  );

describe('a rolling restart of checkers', () => {
  it('leaves out no uptime probe, and makes none twice', async () => {
    const [first] = services as [TestService];
    const people = new TestAccounts(first);
    const owner = await people.register('owner');
    await people.administer(owner, { plan: 'unlimited' });
    await Promise.all(
      PATHS.map(async (path) => {
        asked.set(path, []);
        const id = await people.project(owner, site.url);
        await owner.api.put(`/project/${id}`, { period: false, uptimeUrl: `${site.url}${path}`, uptimeEnabled: '15' });
      }),
    );
    await until(() => Promise.resolve([...asked.values()].every((times) => times.length > 0)), 40_000, 'the first probe of each site');
    const since = Date.now();
    // Joining takes half of the shards, and the first leaves the others.
    services.push(await TestService.start({ env, beside: first }));
    await settle(PERIOD_MS);
    process.kill(first.pid, 'SIGTERM');
    await settle(PERIOD_MS + 6_000);
    expect(irregular(since)).toEqual([]);
    for (const [path, times] of asked) expect([path, Date.now() - (times.at(-1) ?? 0) < PERIOD_MS + 6_000]).toEqual([path, true]);
  });
});
