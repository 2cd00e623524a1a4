import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { SiteCommands, tokenOf } from '../../support/site-commands.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { isRelease } from '../../support/thorough.ts';

const ENV = { REGISTRATION: 'open', RATE_LIMIT: '0' };

let service: TestService;
let people: TestAccounts;
let api: ApiClient;
let commands: SiteCommands;
beforeAll(async () => {
  service = await TestService.start({ env: ENV });
  people = new TestAccounts(service);
  ({ api } = await people.register('owner'));
  commands = await SiteCommands.of(api, () => service.url);
});
afterAll(async () => {
  await service.stop();
  commands.remove();
});

/** An account without a limit of projects. */
const adminToken = async (): Promise<string> => tokenOf((await people.admin()).api);

/** Everything that a project of every kind may have. */
async function makeEverything(): Promise<string> {
  const { id } = (await api.post('/project/create', { url: 'https://shop.example/de/', title: 'Shop', addPresetChecks: true })).body as {
    id: string;
  };
  await api.put(`/project/${id}`, {
    period: '1 hour',
    uptimeEnabled: 60,
    uptimeUrl: 'https://shop.example/health',
    timeout: 9,
    sslAlertPeriod: 30,
  });
  const form = {
    identifier: 'login',
    enabled: true,
    method: 'POST',
    action: 'https://shop.example/in',
    baseUrl: 'https://shop.example/login',
  };
  const staff = (
    await api.post(`/project/${id}/areas`, {
      ...{ name: 'Staff', public: false, period: '8 hours', httpAuth: { user: 'monitor', password: 'p4ss', url: '' } },
      form: { ...form, params: 'user=u&secret=s', html: '<form id="login"></form>', checksum: 'abc' },
      rules: [[{ type: 'status', op: 'lt', val: '400' }], [{ type: 'text', op: '!sub', val: 'Error' }]],
      options: { w: 'X-From: watchledger' },
    })
  ).body as { id: string };
  const create = (body: object): Promise<Json> => api.post(`/project/${id}/tests`, { areaId: staff.id, ...body });
  await create({
    name: 'Sign in',
    url: '/api/login',
    options: {
      method: 'POST',
      contentType: 'application/json',
      body: '{"a":"s3cret"}',
      extract: [{ name: 'token', from: 'json:$.token' }],
    },
  });
  await create({
    name: 'Cart',
    url: '/api/cart',
    options: { w: 'Authorization: Bearer {{token}}\nX-Two: 2', uses: ['token'], g: true, l: true },
  });
  await create({ name: 'Twice', url: '/one', enabled: false, notice: 'Of the shop team', templateId: 't', templateVars: ['a', 'b'] });
  await create({ name: 'Twice', url: '/two', rules: [{ type: 'title', op: 'regex', val: '^Two', origin: 'import', order: 7 }] });
  await create({ url: 'https://other.example/nameless' });
  await api.put(`/project/${id}/objective`, {
    objective: { percent: 99.9, window: 'month' },
    offset: '+01:00',
    credits: [{ below: 99.9, percent: 10 }],
  });
  await api.post(`/project/${id}/notifications`, { severity: 3, slack: true });
  await api.post(`/project/${id}/maintenance`, {
    from: '2031-01-05T02:00:00+01:00',
    to: '2031-01-05T04:00:00+01:00',
    note: 'database',
    repeat: 'weekly',
  });
  return id;
}

/** Every answer about a project, less ids, times and secrets of its own. */
async function answersOf(id: string): Promise<Json> {
  const get = async (path: string): Promise<Json> => (await api.get(`/project/${id}${path}`)).body;
  const [project, areas, tests] = [await get(''), (await get('/areas')) as Json[], (await get('/tests')) as Json[]];
  const groups = areas.map((area: Json) => ({ ...area, tests: tests.filter((test: Json) => test.areaId === area.id) }));
  const rest = await Promise.all(['/notifications', '/objective', '/maintenance', '/users'].map(get));
  return withoutIds({ project, groups, rest });
}

const VOLATILE = new Set([
  'id',
  'projectId',
  'areaId',
  'apiKey',
  'created',
  'setAt',
  'event',
  'announcedAt',
  'nextRun',
  'run',
  'lastChange',
  'status',
  'result',
  'isWordPress',
]);
const LATER = /^(ssl(Status|Expiration|DaysLeft|Error)|httpsRedirect(Status|FinalUrl|CheckedAt))$/;
function withoutIds(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as object)
      .filter(([name]) => !VOLATILE.has(name) && !LATER.test(name))
      .map(([name, inner]) => [name, withoutIds(inner)]),
  );
}

describe('a project of every kind', () => {
  it('survives pull, deletion and apply with equal answers', async () => {
    const id = await makeEverything();
    const before = await answersOf(id);
    const pulled = await commands.run({}, 'pull', 'all');
    expect([pulled.status, pulled.err]).toEqual([0, '']);
    expect(readdirSync(join(commands.folder, 'all'))).toEqual(['shop.yaml']);
    const text = commands.read('all/shop.yaml');
    expect(text.split('\n', 1)).toEqual([`# yaml-language-server: $schema=${service.url}/schemas/site.json`]);
    expect(text).not.toMatch(/p4ss|s3cret|secret=s|watchledger\b(?!.*schemas)/);
    const names = [...text.matchAll(/\$\{env:([A-Z0-9_]+)\}/g)].map(([, name = '']) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(pulled.out).toContain(names[0]);
    const value = (name: string): string => {
      if (name.endsWith('_PASSWORD')) return 'p4ss';
      if (name.endsWith('_FORM')) return 'user=u&secret=s';
      if (name.endsWith('_BODY')) return '{"a":"s3cret"}';
      return name.endsWith('_AUTHORIZATION') ? 'Bearer {{token}}' : name.endsWith('X_TWO') ? '2' : 'watchledger';
    };
    const secrets = Object.fromEntries(names.map((name) => [name, value(name)]));
    const unchanged = await commands.run(secrets, 'plan', 'all');
    expect([unchanged.status, unchanged.out]).toEqual([0, '1 site: 0 to create, 0 to change, 1 unchanged\n']);
    commands.write('all/shop.yaml', text.replace('title: Shop', 'title: Shops'));
    expect((await commands.run(secrets, 'plan', 'all')).out).toBe(
      `~ ${id} (all/shop.yaml)\n    ~ project Shop\n        title: "Shop" → "Shops"\n1 site: 0 to create, 1 to change, 0 unchanged\n`,
    );
    commands.write('all/shop.yaml', text);
    expect((await api.delete(`/project/${id}`)).status).toBe(200);
    const planned = await commands.run(secrets, 'plan', 'all', '--out', 'plan.json');
    expect(planned.status).toBe(3);
    expect(commands.read('plan.json')).not.toMatch(/p4ss|s3cret/);
    const applied = await commands.run(secrets, 'apply', 'plan.json');
    expect([applied.status, applied.out]).toEqual([0, 'Changed 1 project\n']);
    const [made] = (await api.get('/projects?search=Shop')).body.projects as readonly { id: string }[];
    expect(await answersOf(made?.id ?? '')).toEqual(before);
    expect((await commands.run(secrets, 'plan', 'all')).status).toBe(0);
    expect((await commands.run(secrets, 'apply', 'all', '--yes')).out).toBe('Changed 0 projects\n');
    expect((await commands.run({}, 'pull', 'all')).status).toBe(0);
    expect(commands.read('all/shop.yaml')).toBe(text);
  });
});

describe('watchledger plan and apply', () => {
  it('say what they need, and refuse an invalid file with its place', async () => {
    commands.write('broken.yaml', 'key: a\nurl: https://a.example\ntitel: A\n');
    expect(await commands.run({}, 'plan', 'broken.yaml')).toMatchObject({
      status: 2,
      out: expect.stringContaining('broken.yaml:3:1 titel: is not a known field'),
    });
    expect(await commands.run({ WATCHLEDGER_TOKEN: '' }, 'plan', 'broken.yaml')).toMatchObject({
      status: 2,
      err: expect.stringContaining('WATCHLEDGER_TOKEN: is not set'),
    });
    commands.write('fine.yaml', 'key: fine\nurl: https://fine.example\n');
    expect(await commands.run({}, 'apply', 'fine.yaml')).toMatchObject({ status: 2, err: expect.stringContaining('repeat with --yes') });
  });

  it('carry out exactly the plan that was kept, and refuse it once the project has changed', async () => {
    commands.write('kept.yaml', 'key: kept\nurl: https://kept.example\ntitle: Kept\n');
    expect((await commands.run({}, 'apply', 'kept.yaml', '--yes', '--commit', '0123456789abcdef')).status).toBe(0);
    commands.write('kept.yaml', 'key: kept\nurl: https://kept.example\ntitle: Kept\ntimeout: 9\n');
    expect((await commands.run({}, 'plan', 'kept.yaml', '--out', 'kept.json')).status).toBe(3);
    const [project] = (await api.get('/projects?search=Kept')).body.projects as readonly { id: string }[];
    await api.put(`/project/${project?.id ?? ''}`, { delay: 1000 });
    const refused = await commands.run({}, 'apply', 'kept.json');
    expect([refused.status, refused.out]).toEqual([
      1,
      '✗ kept (kept.yaml): The project "kept" has changed since it was planned. Plan again.\nChanged 0 projects, 1 refused\n',
    ]);
    const shown = await commands.run({}, 'plan', 'kept.yaml');
    expect(shown.out).toContain('delay: 1000 → 50');
    expect(shown.out).toMatch(/changed by user owner on \d{4}-\d\d-\d\d at \d\d:\d\d UTC, event [0-9a-f-]{36}, not in the file/);
    commands.write('kept.json', commands.read('kept.json').replace('"timeout":9', '"timeout":8').replace('timeout\\":9', 'timeout\\":8'));
    expect(await commands.run({}, 'apply', 'kept.json')).toMatchObject({
      status: 1,
      err: expect.stringContaining('was changed since it was planned'),
    });
  });

  it('name the scope that a narrowed token lacks', async () => {
    commands.write('scoped.yaml', 'key: scoped\nurl: https://scoped.example\n');
    const reader = { WATCHLEDGER_TOKEN: await tokenOf(api, ['member']) };
    expect(await commands.run(reader, 'plan', 'scoped.yaml')).toMatchObject({
      status: 1,
      err: expect.stringContaining('lacks the scope `read`. Give one'),
    });
    expect(await commands.run({ WATCHLEDGER_TOKEN: await tokenOf(api, ['read']) }, 'apply', 'scoped.yaml', '--yes')).toMatchObject({
      status: 1,
      err: expect.stringContaining('✗ scoped (scoped.yaml): This token lacks the scope `create`.'),
    });
  });

  it('say how much is done when Ctrl-C ends an apply, which a repeat completes', async () => {
    const sites = Array.from(
      { length: 100 },
      (_, nth) => `key: ended-${String(nth)}\nurl: https://ended-${String(nth)}.example\nuptimeEnabled: false\n`,
    );
    commands.write('ended.yaml', sites.join('---\n'));
    const { pool } = service.database;
    const { ran, interrupt } = commands.start({ WATCHLEDGER_TOKEN: await adminToken() }, 'apply', 'ended.yaml', '--yes');
    const made = `SELECT FROM log WHERE type = 'ProjectCreated' AND data::text LIKE '%ended-%'`;
    await until(async () => ((await pool.query(made)).rowCount ?? 0) > 0, 10_000, 'a project made');
    interrupt();
    expect(await ran).toMatchObject({
      status: 1,
      err: expect.stringMatching(/interrupted when the server had answered \d+ of 100 changes/),
    });
    const asAdmin = { WATCHLEDGER_TOKEN: await adminToken() };
    // A site whose requests the server still handles may change between the plan and the apply.
    await until(async () => (await commands.run(asAdmin, 'apply', 'ended.yaml', '--yes')).status === 0, 30_000, 'the rest applied');
    expect((await pool.query(made)).rowCount).toBe(100);
  });

  if (isRelease)
    it('are completed by a repeat after the service was killed between two steps', async () => {
      const asAdmin = { WATCHLEDGER_TOKEN: await adminToken() };
      const colleague = await people.register('colleague');
      const sites = Array.from(
        { length: 100 },
        (_, site) => `key: many-${String(site)}\nurl: https://many-${String(site)}.example\nuptimeEnabled: false\n`,
      );
      commands.write('many.yaml', sites.map((site) => `${site}members: [{email: ${colleague.email}, role: 6}]\n`).join('---\n'));
      const { pool } = service.database;
      const created = `FROM log WHERE type = 'ProjectCreated' AND data::text LIKE '%many-%'`;
      const interrupted = commands.run(asAdmin, 'apply', 'many.yaml', '--yes');
      await until(async () => ((await pool.query(`SELECT ${created}`)).rowCount ?? 0) > 20, 10_000, 'some projects made');
      await service.kill();
      expect(await interrupted).toMatchObject({ status: 1, err: expect.stringMatching(/^watchledger: .+/m) });
      const before = (await pool.query(`SELECT ${created}`)).rowCount ?? 0;
      expect(before).toBeLessThan(100);

      service = await TestService.start({ beside: service, env: ENV });
      expect(await commands.run(asAdmin, 'apply', 'many.yaml', '--yes')).toMatchObject({ status: 0 });
      expect(await commands.run(asAdmin, 'plan', 'many.yaml')).toMatchObject({
        status: 0,
        out: '100 sites: 0 to create, 0 to change, 100 unchanged\n',
      });
      const { rows } = await pool.query(`SELECT count(*)::int AS all, count(DISTINCT stream)::int AS distinct ${created}`);
      expect(rows).toEqual([{ all: 100, distinct: 100 }]);
      const invited = await pool.query(`SELECT DISTINCT stream FROM log WHERE type = 'MemberInvited'`);
      const invitations = await pool.query(`SELECT FROM log WHERE type = 'MemberInvited'`);
      expect([invited.rowCount, invitations.rowCount]).toEqual([100, 100]);
    });
});
