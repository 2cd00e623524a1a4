import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { type Ran, watchledgerIn } from '../../support/command-line.ts';
import { sampleBytes } from '../../support/import-samples.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

const DAY_LENGTH = 86_400_000;
const YESTERDAY = new Date(Date.now() - DAY_LENGTH).toISOString().slice(0, 10);

let service: TestService;
let people: TestAccounts;
let folder: string;
beforeAll(async () => {
  service = await sharedService();
  people = new TestAccounts(service);
  folder = mkdtempSync(join(tmpdir(), 'watchledger-import-apply-'));
  // The heartbeats of the sample, moved to a day that has passed on every clock.
  const moved = sampleBytes('uptime-kuma/2.5.3.db')
    .toString('latin1')
    .replaceAll(/2026-11-2[67]/g, YESTERDAY);
  writeFileSync(join(folder, 'kuma.db'), Buffer.from(moved, 'latin1'));
});
afterAll(async () => {
  await people.deleteProjects();
  rmSync(folder, { recursive: true });
});

interface Person {
  readonly api: ApiClient;
  readonly token: string;
  readonly userId: number;
}

async function person(name: string): Promise<Person> {
  const { api, userId } = await people.register(name);
  return { api, userId, token: (await api.post('/account/tokens', { name: 'import' })).body.token as string };
}

const run = (token: string, env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ran> =>
  watchledgerIn(folder, { WATCHLEDGER_URL: service.url, WATCHLEDGER_TOKEN: token, ...env }, 'import', ...args).ran;

/** A value for the variable with this end that a message names. */
const envOf = (message: string, end: string, value: string): Readonly<Record<string, string>> => ({
  [new RegExp(String.raw`\$\{env:(\w+_${end})\}`).exec(message)?.[1] ?? end]: value,
});

const projectsOf = async (api: ApiClient): Promise<readonly Json[]> => ((await api.get('/projects')).body as { projects: Json[] }).projects;

describe('a database of Uptime Kuma', () => {
  it('becomes projects with its history apart, and a second import changes nothing', async () => {
    const { api, token, userId } = await person('mover');
    const first = await run(token, {}, 'uptime-kuma', 'kuma.db', '--apply', '--yes');
    expect(first).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^Changed 4 projects and 1 status page\nImported the history of 4 sites\n$/),
    });
    expect(first.err).toMatch(/Uptime Kuma: 4 sites, \d+ checks, 1 status page/);
    expect(first.err).toContain('Left out:');
    expect(first.err).toContain('+ import:uptime-kuma:127.0.0.1-3999 (kuma.db)');
    const projects = await projectsOf(api);
    const shop = projects.find(({ url }) => url === 'http://127.0.0.1:3999')?.id as string;
    const tests = (await api.get(`/project/${shop}/tests`)).body as Json[];
    expect(tests.map(({ name }) => name as string)).toEqual(expect.arrayContaining(['Front page', 'Basket', 'Health']));
    const to = new Date(Date.parse(YESTERDAY) + DAY_LENGTH).toISOString();
    const { body } = await api.get(`/project/${shop}/uptime?start=${YESTERDAY}T00:00:00Z&end=${to}`);
    expect(body).toMatchObject({ imported: { origin: 'imported:uptime-kuma', uptime: 100, samples: 39 }, uptimeByDays: [] });
    const planned = (await api.get(`/project/${shop}/maintenance`)).body as Json[];
    expect(planned.map(({ note, repeat }) => [note, repeat])).toEqual([
      ['Backup: The disks are busy', 'daily'],
      ['New disks', null],
    ]);
    const pages = (await api.get('/status-pages')).body;
    expect(pages).toMatchObject([{ slug: 'shop', groups: [{ name: 'Customers' }, { name: 'Inside' }] }]);
    // Only those of the person who imports: the checker appends verdicts about the sites meanwhile.
    const events = async (): Promise<number> =>
      ((await api.get(`/project/${shop}/history?actor=${String(userId)}`)).body as { events: unknown[] }).events.length;
    const before = await events();
    expect(before).toBeGreaterThan(0);
    const second = await run(token, {}, 'uptime-kuma', 'kuma.db', '--apply', '--yes');
    expect(second).toMatchObject({ status: 0, out: expect.stringContaining('Changed 0 projects\n') });
    expect([await events(), (await projectsOf(api)).length]).toEqual([before, projects.length]);
  });

  it('is not applied without a yes, a token or a server', async () => {
    const { api, token } = await person('hesitant');
    const unsure = await run(token, {}, 'uptime-kuma', 'kuma.db', '--apply');
    expect(unsure).toMatchObject({ status: 2, err: expect.stringContaining('repeat with --yes') });
    expect(await run('', {}, 'uptime-kuma', 'kuma.db', '--apply')).toMatchObject({
      status: 2,
      err: expect.stringContaining('WATCHLEDGER_TOKEN'),
    });
    expect(await run(token, { WATCHLEDGER_URL: '' }, 'uptime-kuma', 'kuma.db', '--apply')).toMatchObject({ status: 2 });
    expect(await run(token, {}, 'uptime-kuma', 'kuma.db', '--apply', '--to', 'x')).toMatchObject({ status: 2 });
    expect(await projectsOf(api)).toEqual([]);
  });
});

describe('projects of a service with the same API', () => {
  it('arrive with groups, checks, forms, members and notification settings; what answers mask is named', async () => {
    const [source, target] = [await person('source'), await person('target')];
    const { id } = (await source.api.post('/project/create', { url: 'https://shop.example', title: 'Shop', addPresetChecks: false })).body;
    const form = { identifier: 'login', enabled: true, method: 'POST', action: 'https://shop.example/in', params: 'user=u&secret=s' };
    const area = (await source.api.post(`/project/${String(id)}/areas`, { name: 'Staff', period: '8 hours', form })).body;
    const check = { name: 'Cart', url: '/cart', areaId: area.id, templateId: 't', templateVars: ['a'], options: { w: 'X-Key: s3cret' } };
    await source.api.post(`/project/${String(id)}/tests`, { ...check, rules: [{ type: 'title', op: 'sub', val: 'Cart' }] });
    await source.api.post(`/project/${String(id)}/users`, { email: 'dev@example.test', role: '5' });
    await source.api.post(`/project/${String(id)}/notifications`, { severity: 3, slack: true });
    const args = ['api', `${service.url}/api`, '--apply', '--yes'];
    const refused = await run(target.token, { SOURCE_TOKEN: source.token }, ...args);
    expect(refused).toMatchObject({ status: 1, err: expect.stringMatching(/\$\{env:API_AREA_\w+_FORM\} has no value/) });
    expect(await projectsOf(target.api)).toEqual([]);
    const secrets = { ...envOf(refused.err, 'FORM', 'user=u&secret=s'), ...envOf(refused.err, 'X_KEY', 's3cret') };
    const done = await run(target.token, { SOURCE_TOKEN: source.token, ...secrets }, ...args);
    expect(done).toMatchObject({ status: 0, out: 'Changed 1 project\n', err: expect.stringContaining('answers do not show it') });
    const repeated = await run(target.token, { SOURCE_TOKEN: source.token }, ...args, '--keep-secrets');
    expect(repeated).toMatchObject({ status: 0, out: 'Changed 0 projects\n' });
    const [project] = await projectsOf(target.api);
    const get = async (path: string): Promise<unknown> => (await target.api.get(`/project/${String(project?.id)}${path}`)).body;
    expect(await get('')).toMatchObject({ url: 'https://shop.example', title: 'Shop' });
    expect(await get('/areas')).toMatchObject([
      { name: 'Staff', period: '8 hours', form: { identifier: 'login', enabled: true, method: 'POST' } },
    ]);
    expect(await get('/tests')).toMatchObject([
      { name: 'Cart', url: '/cart', templateId: 't', templateVars: ['a'], rules: [{ type: 'title', op: 'sub', val: 'Cart' }] },
    ]);
    expect(await get('/users')).toEqual(
      expect.arrayContaining([expect.objectContaining({ email: 'dev@example.test', role: expect.objectContaining({ id: '5' }) })]),
    );
    expect(await get('/notifications')).toMatchObject({ severity: 3, slack: true });
  });
});
