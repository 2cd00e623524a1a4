import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRelease } from '../../support/thorough.ts';

const plansFile = join(mkdtempSync(join(tmpdir(), 'plans-')), 'plans.json');
writeFileSync(
  plansFile,
  JSON.stringify([
    { name: 'tiny', apiAccess: true, maxProjects: 3, defaultPeriod: '8 hours', minUptimePeriod: 60 },
    { name: 'large', apiAccess: true, maxProjects: null, defaultPeriod: '1 hour', minUptimePeriod: 15 },
  ]),
);

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', PLANS_FILE: plansFile, DEFAULT_PLAN: 'tiny' };
let service: TestService;
/** Daily the same: `project` creates at once on two instances. */
let other: TestService;
let people: TestAccounts;
beforeAll(async () => {
  service = await TestService.start({ env });
  other = isRelease ? await TestService.start({ beside: service, env }) : service;
  people = new TestAccounts(service);
});
afterAll(async () => {
  if (other !== service) await other.stop();
  await service.stop();
});

describe('plans', () => {
  it('limits the projects when twenty are created at once', async () => {
    const account = await people.register();
    const clients = [account.api, new ApiClient(other.url, account.api.token)];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        clients[index % 2]?.post('/project/create', { url: `https://example.com/${String(index)}` }),
      ),
    );
    const statuses = answers.map((answer) => answer?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 402)).toHaveLength(17);
    expect(answers.find((answer) => answer?.status === 402)?.body).toEqual({ message: expect.stringContaining('limit') });
    expect((await account.api.get('/projects')).body.projects).toHaveLength(3);
  });

  it('frees a project of the limit when one is deleted', async () => {
    const account = await people.register();
    const ids = [await people.project(account), await people.project(account), await people.project(account)];
    await expect(people.project(account)).rejects.toMatchObject({ status: 402 });
    expect((await account.api.delete(`/project/${String(ids[1])}`)).status).toBe(200);
    await people.project(account);
    await expect(people.project(account)).rejects.toMatchObject({ status: 402 });
  });

  it('does not count projects in which the account is only a user', async () => {
    const [one, two] = await Promise.all([people.register(), people.register()]);
    for (let n = 0; n < 3; n++) await people.join(await people.project(one), one, two, '4');
    await people.project(two);
  });

  it('determines the period of a new project and the shortest uptime period', async () => {
    const account = await people.register();
    const id = await people.project(account);
    expect((await account.api.get(`/project/${id}`)).body).toMatchObject({ period: '8 hours', uptimeEnabled: '60' });
    const refused = await account.api.put(`/project/${id}`, { uptimeEnabled: '30' });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('uptimeEnabled')]);
    await people.administer(account, { plan: 'large' });
    expect((await account.api.put(`/project/${id}`, { uptimeEnabled: '15' })).status).toBe(200);
    const another = await people.project(account);
    expect((await account.api.get(`/project/${another}`)).body.period).toBe('1 hour');
  });

  it('applies the plan of the owner, not of the caller', async () => {
    const [rich, poor] = await Promise.all([people.register(), people.register()]);
    await people.administer(rich, { plan: 'large' });
    const id = await people.project(poor);
    await people.join(id, poor, rich, '4');
    expect((await rich.api.put(`/project/${id}`, { uptimeEnabled: '15' })).status).toBe(400);
  });

  it('keeps existing projects above a lowered limit and refuses new ones', async () => {
    const account = await people.register();
    await people.administer(account, { plan: 'large' });
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await people.project(account));
    await people.administer(account, { plan: 'tiny' });
    expect((await account.api.get('/projects')).body.projects).toHaveLength(5);
    await account.api.delete(`/project/${String(ids[1])}`);
    await expect(people.project(account)).rejects.toMatchObject({ status: 402 });
  });

  it('accepts an unchanged uptime period that a lowered plan no longer allows, and refuses another one', async () => {
    const ada = await people.register();
    await people.administer(ada, { plan: 'large' });
    const id = await people.project(ada);
    expect((await ada.api.put(`/project/${id}`, { uptimeEnabled: '15' })).status).toBe(200);
    await people.administer(ada, { plan: 'tiny' });
    const shown = (await ada.api.get(`/project/${id}`)).body as object;
    expect((await ada.api.put(`/project/${id}`, { ...shown, title: 'Renamed' })).status).toBe(200);
    expect((await ada.api.get(`/project/${id}`)).body).toMatchObject({ title: 'Renamed', uptimeEnabled: '15' });
    expect((await ada.api.put(`/project/${id}`, { ...shown, uptimeEnabled: '30' })).status).toBe(400);
  });

  if (isRelease)
    it('falls back to the default plan when the plans file no longer names the plan', async () => {
      const fewer = join(mkdtempSync(join(tmpdir(), 'plans-')), 'plans.json');
      const one = { name: 'one', apiAccess: true, maxProjects: 1, defaultPeriod: '7 days', minUptimePeriod: 60 };
      writeFileSync(fewer, JSON.stringify([one]));
      const [giver, receiver] = [await people.register(), await people.register()];
      await people.administer(receiver, { plan: 'large' });
      const [first, second] = [await people.project(giver), await people.project(giver)];
      const third = await TestService.start({ beside: service, env: { ...env, PLANS_FILE: fewer, DEFAULT_PLAN: 'one' } });
      try {
        const [give, take] = [new ApiClient(third.url, giver.api.token), new ApiClient(third.url, receiver.api.token)];
        await people.give(first, { ...giver, api: give }, { ...receiver, api: take });
        expect((await take.get(`/project/${first}`)).body.payerId).toBe(receiver.userId);
        await expect(people.give(second, { ...giver, api: give }, { ...receiver, api: take })).rejects.toMatchObject({ status: 402 });
      } finally {
        await third.stop();
      }
    });
});
