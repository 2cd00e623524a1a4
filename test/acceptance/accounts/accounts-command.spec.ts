import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Ran, watchledger, watchledgerProcess } from '../../support/command-line.ts';
import { PASSWORD, TestAccounts } from '../../support/test-accounts.ts';
import type { TestService } from '../../support/service.ts';
import { SHARED_JWT_KEY, sharedService } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let people: TestAccounts;
beforeAll(async () => {
  service = await sharedService();
  people = new TestAccounts(service);
});
afterAll(() => people.deleteProjects());

const env = () => ({ DATABASE_URL: service.database.url, MASTER_KEY: service.masterKey, JWT_KEY: SHARED_JWT_KEY.toString('hex') });

/** Runs `watchledger accounts …` beside the running service. */
const accounts = (...args: readonly string[]): Promise<Ran> => watchledger(env(), 'accounts', ...args).ran;

describe('watchledger accounts', () => {
  it('creates a confirmed account and prints the password once', async () => {
    const made = await accounts('create', 'cli@example.test', '--name', 'From the prompt', '--role', 'auditor', '--json');
    expect([made.status, made.err]).toEqual([0, '']);
    const { password, userId } = JSON.parse(made.out) as { password: string; userId: number };
    const api = await people.anonymous.signIn('cli@example.test', password);
    expect((await api.get('/account')).body).toMatchObject({
      id: String(userId),
      name: 'From the prompt',
      confirmed: true,
      systemRole: 'auditor',
    });
    expect((await accounts('create', 'CLI@example.test')).status).toBe(1);
  });

  it('lists all accounts', async () => {
    const { status, out } = await accounts('list', '--json');
    expect(status).toBe(0);
    expect((JSON.parse(out) as { accounts: object[] }).accounts[0]).toMatchObject({ userId: 1, systemRole: 'admin', plan: 'unlimited' });
  });

  it('shows the list again and again with --watch, until Ctrl-C', async () => {
    const [json, text] = [['--json'], []].map((format) => watchledgerProcess('/', env(), 'accounts', 'list', '--watch=0.1', ...format));
    const shown = (running = json): readonly string[] => running?.printed().split('\n').slice(0, -1) ?? [];
    await until(() => Promise.resolve(shown().length >= 2 && shown(text).length >= 2), 5_000, 'the second round');
    const { email } = await people.register();
    for (const running of [json, text])
      await until(
        () => Promise.resolve(shown(running).at(-1)?.includes(email) === true || shown(running).at(-2)?.includes(email) === true),
        5_000,
        'the new account',
      );
    json?.interrupt();
    text?.closeOutput();
    expect(await json?.ran).toMatchObject({ status: 0, err: '' });
    expect(await text?.ran).toMatchObject({ status: 0, err: '' });
    for (const line of shown()) expect(JSON.parse(line)).toMatchObject({ accounts: expect.any(Array) });
    expect(text?.printed()).toMatch(/^( +\d+ {2}.+\n)+\n( +\d+ {2}.+\n)+\n/);
  });

  it('prints a link to the console that also confirms an address without mail, and works once', async () => {
    const account = await people.registerUnconfirmed();
    expect((await account.api.get('/projects')).status).toBe(403);
    const { out } = await accounts('link', account.email);
    const { pathname, hash } = new URL(out.trim());
    expect(pathname).toBe('/console/welcome');
    const token = hash.replace(/^#link=/, '');
    expect((await people.anonymous.post('/account/confirm', { token, password: PASSWORD })).status).toBe(200);
    expect((await people.anonymous.post('/account/password/reset', { token, password: PASSWORD })).status).toBe(400);
    const api = await people.anonymous.signIn(account.email, PASSWORD);
    expect((await api.get('/projects')).body.projects).toEqual([]);
  });

  it('changes plan, role and password with effect on the running service', async () => {
    const account = await people.register();
    expect((await accounts('plan', account.email, 'free')).status).toBe(0);
    await until(async () => (await account.api.get('/projects')).status === 403, 3_000, 'the new plan');
    await accounts('plan', String(account.userId), 'basic');
    await accounts('role', account.email, 'admin');
    await until(async () => (await account.api.get('/accounts')).status === 200, 3_000);
    await accounts('role', account.email, 'none');
    await until(async () => (await account.api.get('/accounts')).status === 403, 3_000);
    expect((await accounts('password', account.email, '--password', 'set at the prompt')).status).toBe(0);
    await until(async () => (await account.api.get('/account')).status === 401, 3_000, 'the end of the token');
    await people.anonymous.signIn(account.email, 'set at the prompt');
  });

  it('erases an account only after confirmation', async () => {
    const account = await people.register();
    const asked = await accounts('erase', account.email);
    expect([asked.status, asked.err]).toEqual([1, expect.stringContaining('--yes')]);
    expect((await accounts('erase', account.email, '--yes')).status).toBe(0);
    await until(async () => (await account.api.get('/account')).status === 401, 3_000);
    expect((await accounts('erase', account.email, '--yes')).status).toBe(1);
  });

  it.each([['frobnicate'], ['plan', '1', 'gold'], ['role', '1', 'root'], ['create', 'no address'], ['create'], ['list', '--all']])(
    'refuses wrong usage: %s',
    async (...args) => {
      const { status, out, err } = await accounts(...args);
      expect([status, out]).toEqual([2, '']);
      expect(err).toContain('watchledger');
    },
  );

  it('refuses an unknown account', async () => {
    const { status, err } = await accounts('link', 'unknown@example.test');
    expect([status, err]).toEqual([1, expect.stringContaining('unknown@example.test')]);
  });
});

describe('watchledger service-accounts', () => {
  const json = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { status, out, err } = await watchledger(env(), 'service-accounts', ...args, '--json').ran;
    return status === 0 ? (JSON.parse(out) as Record<string, unknown>) : { status, err };
  };

  it('creates programs of the installation and of a project, with tokens that work on the running service', async () => {
    const owner = await people.register('owner');
    await people.administer(owner, { plan: 'basic' });
    const projectId = await people.project(owner);
    for (const [of, role, allowed, refused] of [
      [[], 'auditor', '/history', '/accounts'],
      [['--project', projectId], '5', `/project/${projectId}`, '/history'],
    ] as const) {
      const { id } = (await json('create', 'warehouse', role, ...of)) as { id: string };
      const made = (await json('token', id, 'nightly', '--expires', '+1 day', '--addresses', '127.0.0.0/8', ...of)) as {
        tid: string;
        token: string;
      };
      const api = people.anonymous.as(made.token);
      await until(async () => (await api.get(allowed)).status === 200, 3_000, 'the new token');
      expect((await api.get(refused)).status).toBe(403);
      const listed = (await json('list', ...of))['serviceAccounts'] as readonly { readonly id: string }[];
      expect(listed.find((one) => one.id === id)).toMatchObject({ role, tokens: [{ tid: made.tid, name: 'nightly' }] });
      const ended = role === 'auditor' ? json('revoke', id, made.tid) : json('delete', id, ...of);
      expect(await ended).toMatchObject(role === 'auditor' ? { revoked: true } : { deleted: true });
      await until(async () => (await api.get('/authenticate')).status === 401, 3_000, 'the end of the token');
    }
  });

  it('refuses roles, scopes and networks that do not exist', async () => {
    const { id } = (await json('create', 'reader', 'auditor')) as { id: string };
    expect(await json('create', 'x', '5')).toMatchObject({ status: 2, err: expect.stringContaining('must be one of admin, auditor') });
    expect(await json('token', id, 'x', '--scopes', 'edit')).toMatchObject({ status: 2, err: expect.stringContaining('--scopes') });
    expect(await json('token', id, 'x', '--addresses', 'here')).toMatchObject({ status: 2, err: expect.stringContaining('--addresses') });
  });
});
