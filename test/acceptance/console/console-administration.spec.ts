import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { breakProject } from '../../support/broken-project.ts';
import { ConsoleClient } from '../../support/console-client.ts';
import { ApiClient } from '../../support/api-client.ts';
import { leaveChromium } from '../../support/chromium.ts';
import { ConsolePage } from '../../support/console-page.ts';
import { onEmbedded } from '../../support/embedded-engine.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { startHttp, type Site } from '../../support/servers/site.ts';
import { type TestAccount, TestAccounts } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';

const PATIENCE_MS = 30_000;

const REACTOR = `
  import { defineReactor } from 'watchledger/projection';
  const refuse = ({ data }) => { if (data?.to === 'unknown') throw new Error('no customer of this title'); };
  export default defineReactor({ name: 'invoicing', from: 'now', on: { ProjectRenamed: refuse } });
`;

let folder: string;
let receiver: Site;
let service: TestService;
let admin: TestAccount;
let page: ConsolePage;

beforeAll(async () => {
  receiver = await startHttp((_, response) => response.writeHead(204).end());
  folder = await mkdtemp(join(tmpdir(), 'watchledger-console-'));
  await writeFile(join(folder, 'invoicing.mjs'), REACTOR);
  service = await TestService.start({
    env: {
      ...{ RATE_LIMIT: '0', REGISTRATION: 'open', ALLOW_TARGETS: '127.0.0.0/8', ALLOW_HOOKS: '127.0.0.0/8' },
      PROJECTIONS: join(folder, 'invoicing.mjs'),
    },
  });
  admin = await new TestAccounts(service).admin();
  page = await ConsolePage.open(service.url, '/console/teams');
  await page.signIn(ADMIN.email, ADMIN.password);
});
afterAll(async () => {
  expect(page.errors).toEqual([]);
  await page.close();
  await leaveChromium();
  await service.stop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

describe('the page of the teams', () => {
  it('says that the projections are up to date, and lists what reads the log', async () => {
    expect((await admin.api.put('/subscriptions/invoices', {})).status).toBe(200);
    expect((await admin.api.post('/service-accounts', { name: 'nightly audit', role: 'auditor' })).status).toBe(200);
    const added = await admin.api.post('/destinations', { kind: 'webhook', name: 'data lake', url: receiver.url, types: ['CheckFailed'] });
    expect(added.status).toBe(200);
    const hostile = `<img src=x onerror="document.title='ran'">`;
    expect((await admin.api.post('/service-accounts', { name: hostile, role: 'auditor' })).status).toBe(200);
    await page.go('/console/teams');
    await page.sees('are up to date.');
    for (const name of ['invoices', 'data lake', 'nightly audit', hostile]) await page.sees(name);
    expect(await page.evaluate("document.title !== 'ran' && document.querySelector('img') === null")).toBe(true);
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it('shows what a consumer refused, with its event and its reason, and delivers or discards it', async () => {
    expect((await admin.api.post('/project/create', { url: receiver.url })).status).toBe(200);
    const { deliveries } = (await admin.api.post('/subscriptions/invoices/read', { consumer: 'billing', limit: 1, wait: 10 })).body as {
      readonly deliveries: readonly { readonly token: string }[];
    };
    const nack = { tokens: [deliveries[0]?.token], action: 'park', reason: 'no such customer' };
    expect((await admin.api.post('/subscriptions/invoices/nack', nack)).status).toBe(200);
    await page.go('/console/teams');
    await page.sees('no such customer');
    await page.sees('refused by billing');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Discard');
    await page.seesNo('no such customer');
    await page.choose('Delete the subscription “invoices”');
    await page.choose('Delete it');
    await page.sees('a program makes one with PUT /subscriptions');
    expect((await admin.api.get('/subscriptions/invoices')).status).toBe(404);
  });

  it('shows what a reactor could not handle, skips it, and pauses and removes reactors', async () => {
    const { id } = (await admin.api.post('/project/create', { url: receiver.url })).body;
    expect((await admin.api.put(`/project/${String(id)}`, { title: 'unknown' })).status).toBe(200);
    await service.database.pool.query(
      `INSERT INTO consumer (name, about, package, n) VALUES ('reactor:former', 'a reactor of ./former', './former', 0)`,
    );
    const parked = async (): Promise<readonly unknown[]> => (await admin.api.get('/ops/consumers/reactor:invoicing/parked')).body.parked;
    await until(async () => (await parked()).length === 1, PATIENCE_MS, 'a parked project');
    await page.go('/console/teams');
    await page.sees('and 5 consumers need attention.');
    await page.sees('no customer of this title');
    await page.sees('tried again at');
    await page.sees('no instance with the role reactor has its package in PROJECTIONS');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Skip ProjectRenamed');
    await page.seesNo('no customer of this title');
    await page.choose('Pause reactor:invoicing');
    await page.choose('Resume reactor:invoicing');
    await page.choose('Delete the reactor “reactor:former”');
    await page.choose('Delete it');
    await page.seesNo('former');
    const { consumers } = (await admin.api.get('/ops/consumers?search=reactor:')).body;
    expect(consumers).toMatchObject([{ name: 'reactor:invoicing', state: 'live' }]);
  });

  it('pauses alerts, and says in its first line that they are paused', async () => {
    await page.choose('Pause alerts');
    await page.sees('needs attention: alerts is paused.');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Resume alerts');
    await page.sees('are up to date.');
  });

  it('removes a projection whose package no instance runs', async () => {
    const { pool } = service.database;
    await pool.query(`INSERT INTO projection (schema, name, version, state) VALUES ('p_former_counts_v1', 'former_counts', '1', 'live')`);
    await pool.query('CREATE SCHEMA p_former_counts_v1 CREATE TABLE count (key text)');
    await page.go('/console/teams');
    await page.sees('is stopped: no instance runs its package');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Delete the projection “former_counts”');
    await page.choose('Delete it');
    await page.seesNo('former_counts');
    expect((await pool.query(`SELECT FROM pg_namespace WHERE nspname LIKE 'p_former_counts%'`)).rowCount).toBe(0);
  });

  it('tests and pauses a destination', async () => {
    await page.choose('Test data lake');
    await page.sees('Delivered: ');
    await page.choose('Pause data lake');
    await page.sees('paused since');
    await page.choose('Resume data lake');
    await page.sees('active');
  });

  it('rebuilds the core views while they are served', async () => {
    const made = async (): Promise<string> =>
      JSON.stringify((await service.database.pool.query(`SELECT max(created_at) FROM projection WHERE schema NOT LIKE '%\\_next'`)).rows);
    const before = await made();
    await page.choose('Rebuild Core views');
    await until(async () => (await made()) !== before, PATIENCE_MS, 'the rebuilt views are served');
    await page.sees('are up to date.');
  });

  it('changes nothing in the past', async () => {
    await page.go(`/console/teams?at=${new Date(Date.now() - 1_000).toISOString()}`);
    await page.sees('This page shows the present');
    expect(await page.evaluate("document.querySelectorAll('main button').length")).toBe(0);
    expect(await page.problemsOfForms()).toEqual([]);
  });
});

describe('the page of the account and of the administration', () => {
  it('says who can act for the account, what the doctor finds, and which accounts and plans there are', async () => {
    await page.go('/console/administration');
    await page.sees('Only this browser is signed in as you, and 1 token acts for you.');
    await page.sees('this one');
    await page.sees('What the doctor finds');
    await page.sees('Plans');
    await page.sees(ADMIN.email);
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it('ends the session of another browser', async () => {
    const other = await ConsoleClient.at(service.url).signIn(ADMIN.email, ADMIN.password);
    await page.go('/console/administration');
    await page.sees('2 browsers are signed in as you');
    await page.choose('End Console');
    await page.sees('Only this browser is signed in as you');
    expect((await other.get('/session')).status).toBe(401);
  });

  it('makes a token for a program with the rights that were chosen, shows it once, and revokes it', async () => {
    await page.choose('Make a token for a program');
    await page.type('input[name=token-name]', 'status board');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Make it');
    await page.sees('Keep this token');
    const token = String(await page.evaluate("document.querySelector('.shown-once .mono').innerText"));
    const program = new ApiClient(service.url, token, {}, false);
    expect((await program.get('/projects')).status).toBe(200);
    expect((await program.post('/project/create', { url: receiver.url })).status).toBe(403);
    await page.choose('I have kept it');
    await page.seesNo(token);
    await page.sees('only read');
    await page.choose('Revoke status board');
    await page.seesNo('status board');
    expect((await program.get('/projects')).status).toBe(401);
  });

  it('gives an account a plan and a role in the installation', async () => {
    const { email, userId } = await new TestAccounts(service).register('auditor');
    await page.go('/console/administration');
    await page.choose(`Change ${email}`);
    await page.select('select[name=account-plan]', 'unlimited');
    await page.select('select[name=account-role]', 'auditor');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Save');
    await page.sees('auditor · unlimited');
    const { accounts } = (await admin.api.get('/accounts')).body as { readonly accounts: readonly object[] };
    expect(accounts).toContainEqual(expect.objectContaining({ id: String(userId), plan: 'unlimited', systemRole: 'auditor' }));
  });

  it('says beside the form why a password was refused', async () => {
    await page.type('input[name=current-password]', 'not the password');
    await page.type('input[name=new-password]', 'another correct horse battery');
    await page.choose('Change the password');
    await page.present('.problem[role=alert]');
    expect((await admin.api.get('/account')).status).toBe(200);
  });
});

/** Inserts the broken event into the log table, which is the event store only without a KurrentDB server. */
onEmbedded('an event that no projection can process', () => {
  it('is shown with its cause, tried again, and skipped with a reason', async () => {
    const { id } = (await admin.api.post('/project/create', { url: receiver.url })).body as { readonly id: string };
    await breakProject(service.database.pool, id, randomUUID());
    await until(async () => (await admin.api.get(`/project/${id}`)).status === 503, PATIENCE_MS, 'the project is parked');
    await page.go('/console/teams');
    await page.sees('1 parked');
    await page.sees(`project-${id}`);
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Retry');
    await page.sees('It was tried again.');
    await page.choose('Skip …');
    await page.type('input[name=reason]', 'written by a bug');
    await page.press('Enter');
    await page.sees('are up to date.');
    expect((await admin.api.get(`/project/${id}`)).status).toBe(200);
  });
});
