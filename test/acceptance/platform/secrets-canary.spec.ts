import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiRights } from '../../../src/app/api-rights.ts';
import { stepAt, totpCode } from '../../../src/accounts/second-factors/totp.ts';
import type { Answer, ApiClient } from '../../support/api-client.ts';
import { EventStream } from '../../support/event-stream.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { createTestMailServer, type TestMailServer } from '../../support/servers/mail.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Each contains its own name, so that a leak names its source. */
const planted = (name: string): string => `canary-${name}-${randomBytes(9).toString('hex')}`;
const secrets = {
  password: planted('password'),
  newPassword: planted('new-password'),
  wrongPassword: planted('wrong-password'),
  formValue: planted('form-value'),
  signIn: planted('sign-in'),
  areaHeader: planted('area-header'),
  testHeader: planted('test-header'),
  testBody: planted('test-body'),
  triedHeader: planted('tried-header'),
  slack: planted('slack'),
  webhook: planted('webhook'),
  pagerduty: planted('pagerduty'),
  pushoverUser: planted('pushover-user'),
  pushoverToken: planted('pushover-token'),
  pushbullet: planted('pushbullet'),
  pushEndpoint: planted('push-endpoint'),
  pushAuth: planted('push-auth'),
  phone: '+420 777 123 456 789',
  name: planted('name'),
  tokenName: planted('token-name'),
  retiredKey: planted('retired-key'),
  smtpPassword: planted('smtp-password'),
  refused: planted('refused'),
};
/** Keys of the installation. */
const keys = { MASTER_KEY: '', JWT_KEY: randomBytes(32).toString('hex'), SEAL_KEY: randomBytes(32).toString('hex') };

let service: TestService;
let site: Site;
let hook: Receiver;
let mail: TestMailServer;
let people: TestAccounts;
let owner: TestAccount;
let auditor: TestAccount;
let api: ApiClient;
let projectId: string;
let areaId: string;
let testId: string;
let jobId: string;
/** Secrets made by the service, each shown once to its owner. */
const handedOut: Record<string, string> = {};
const heard: { readonly what: string; readonly text: string }[] = [];

const LOGIN = '<form id="login" method="post" action="/in"><input name="user"><input name="secret"></form>';

/** Every answer is searched for secrets, except those that it may show. */
async function ask(what: string, asked: Promise<Answer>, shown: readonly string[] = []): Promise<Answer> {
  const answer = await asked;
  const headers = JSON.stringify([...answer.headers]);
  heard.push({ what, text: shown.reduce((text, secret) => text.replaceAll(secret, '(shown)'), answer.text + headers) });
  return answer;
}

beforeAll(async () => {
  site = await startHttp((request, response) => {
    response.setHeader('content-type', 'text/html').end(request.url === '/login' ? LOGIN : '<title>Shop</title>');
  });
  [hook, mail] = await Promise.all([startReceiver(), createTestMailServer()]);
  // The receiver echoes the request, so that a leak of its answer shows.
  hook.answer = ({ path, body, headers }, response) => void response.writeHead(400).end(`no: ${path} ${body} ${JSON.stringify(headers)}`);
  service = await TestService.start({
    env: {
      ...{
        REGISTRATION: 'open',
        RATE_LIMIT: '0',
        ALLOW_TARGETS: '127.0.0.0/8',
        ALLOW_HOOKS: '127.0.0.0/8',
        LOG_LEVEL: 'trace',
        DEFAULT_PLAN: 'unlimited',
      },
      ...{ JWT_KEY: keys.JWT_KEY, SEAL_KEY: keys.SEAL_KEY, SMTP_URL: mail.url.replace('//', `//user:${secrets.smtpPassword}@`) },
      ...{ PAGERDUTY_URL: `${hook.url}/pagerduty`, PUSHOVER_URL: `${hook.url}/pushover`, PUSHBULLET_URL: `${hook.url}/pushbullet` },
    },
  });
  keys.MASTER_KEY = service.masterKey;
  people = new TestAccounts(service);
  const email = 'canary@example.test';
  await ask('register', people.anonymous.post('/account/register', { email, password: secrets.password, name: secrets.name }), [
    secrets.name,
  ]);
  await people.confirm(2, secrets.password);
  owner = { userId: 2, email, api: await people.anonymous.signIn(email, secrets.password) };
  api = owner.api;
  auditor = await people.register('auditor');
  await people.administer(auditor, { systemRole: 'auditor' });
  await plant();
});
afterAll(async () => {
  await service.stop();
  await Promise.all([site.close(), hook.close(), mail.close()]);
});

async function plant(): Promise<void> {
  projectId = (await api.post('/project/create', { url: site.url, checkInterval: 'false' })).body.id;
  await api.put(`/project/${projectId}`, { uptimeEnabled: 'false' });
  await ask('account', api.with({ 'idempotency-key': 'a' }).put('/account', { phone: secrets.phone }), [secrets.name, secrets.phone]);
  await plantInProject();
  await plantInChannels();
  const once = { 'idempotency-key': 'once' };
  const made = await api.with(once).post('/account/tokens', { name: secrets.tokenName });
  handedOut['token'] = made.body.token;
  handedOut['login'] = api.token ?? '';
  handedOut['apiKey'] = (await api.get('/account')).body.apiKey;
  handedOut['projectKey'] = (await api.get(`/project/${projectId}`)).body.apiKey;
  await people.anonymous.post('/account/password/reset', { email: owner.email });
  await until(async () => Promise.resolve(mail.to(owner.email).length > 1), 10_000, 'the mail with the link');
  const begun = await auditor.api.post('/account/second-factors/totp');
  handedOut['totpSecret'] = begun.body.secret;
  const code = totpCode(begun.body.secret, stepAt(Date.now()));
  const confirmed = await auditor.api.post(`/account/second-factors/totp/${String(begun.body.id)}/confirm`, { code });
  handedOut['recoveryCode'] = confirmed.body.recoveryCodes[0];
  handedOut['link'] = /token=([\w-]+)/.exec(mail.to(owner.email).at(-1) ?? '')?.[1] ?? '';
}

async function plantInProject(): Promise<void> {
  const form = {
    identifier: 'login',
    enabled: true,
    method: 'POST',
    baseUrl: `${site.url}/login`,
    params: `user=ada&secret=${secrets.formValue}`,
  };
  const httpAuth = { user: 'ada', password: secrets.signIn, url: '' };
  const options = { w: `X-Key: ${secrets.areaHeader}` };
  const area = await ask('create a group', api.post(`/project/${projectId}/areas`, { name: 'Group', form, httpAuth, options }));
  areaId = area.body.id;
  const w = `X-Key: ${secrets.testHeader}`;
  const test = await ask(
    'create a test',
    api.post(`/project/${projectId}/tests`, { url: '/', areaId, options: { w, method: 'POST', body: secrets.testBody } }),
  );
  testId = test.body.id;
  await ask('try', api.post(`/project/${projectId}/try`, { url: '/', areaId, options: { w: `X-Key: ${secrets.triedHeader}` } }));
  const started = await ask('start', api.get(`/project/${projectId}/start?keep-alive=true`));
  jobId = started.body.jobId;
}

async function plantInChannels(): Promise<void> {
  const p256dh = Buffer.concat([Buffer.of(4), randomBytes(64)]).toString('base64url');
  const keysOfPush = { p256dh, auth: Buffer.from(secrets.pushAuth).toString('base64url').slice(0, 22) };
  const channels = {
    slack: { url: `${hook.url}/services/${secrets.slack}` },
    webhook: { url: `${hook.url}/hook?key=${secrets.webhook}` },
    pagerduty: { routingKey: secrets.pagerduty },
    pushover: { user: secrets.pushoverUser, token: secrets.pushoverToken },
    pushbullet: { token: secrets.pushbullet },
    webPush: { subscription: { endpoint: `${hook.url}/${secrets.pushEndpoint}`, keys: keysOfPush } },
  };
  for (const [channel, settings] of Object.entries(channels)) {
    const set = await api.with({ 'idempotency-key': channel }).put(`/account/channels/${channel}`, settings);
    expect([channel, set.status]).toEqual([channel, 200]);
    if (channel === 'webhook') handedOut['webhookSecret'] = set.body.secret;
    else heard.push({ what: `set ${channel}`, text: set.text });
    await ask(`test ${channel}`, api.post(`/account/channels/${channel}/test`));
  }
  expect(hook.received.length).toBeGreaterThan(4);
}

/** The secret in the encodings in which it could leak. */
function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  // A plain hash of a chosen secret could be brute-forced.
  const hash = secret.startsWith('canary') ? [createHash('sha256').update(secret).digest('hex')] : [];
  return [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '').slice(0, -1), encodeURIComponent(secret), ...hash];
}

/** The names of the secrets that a text contains. */
const found = (text: string, among: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(among)
    .filter(([, secret]) => secret !== '' && spellings(secret).some((spelling) => text.includes(spelling)))
    .map(([name]) => name);

describe('planted secrets', () => {
  it('are shown to those who may see them', () => {
    const received = hook.received.map(({ path, body, headers }) => path + body + JSON.stringify(headers)).join('\n');
    const { slack, webhook, pagerduty, pushoverToken, pushbullet } = secrets;
    expect(found(received, { slack, webhook, pagerduty, pushoverToken, pushbullet })).toHaveLength(5);
  });

  it('appear in no error answer', async () => {
    const wrong = secrets.wrongPassword;
    await ask('sign in', people.anonymous.post('/authenticate', { email: owner.email, password: wrong }));
    await ask('sign in, misspelt', people.anonymous.post('/authenticate', { email: owner.email, password: wrong, exp: secrets.refused }));
    await ask('change the password', api.post('/account/password', { current: wrong, new: secrets.newPassword }));
    await ask('a retired key', api.get(`/projects?apikey=${secrets.retiredKey}`));
    await ask('a long key', api.put('/account/channels/pagerduty', { routingKey: `${secrets.refused} ${'x'.repeat(300)}` }));
    await ask('an address inside', api.put('/account/channels/slack', { url: `http://10.0.0.1/${secrets.refused}` }));
    await ask('a sign-in', api.put(`/area/${areaId}`, { httpAuth: { user: 'a:b', password: secrets.refused, url: '' } }));
    await ask('a form', api.put(`/area/${areaId}`, { form: { params: secrets.refused, method: 'PATCH' } }));
    await ask('a link', people.anonymous.post('/account/password/reset', { token: secrets.refused, password: secrets.refused }));
    await ask('a token', people.anonymous.as(secrets.refused).get('/projects'));
    expect(heard.map(({ what, text }) => [what, ...found(text, secrets)]).filter(([, ...names]) => names.length > 0)).toEqual([]);
  });

  it('appear in no answer to any caller', async () => {
    const admin = await people.admin();
    const verdicts = await api.get(`/project/${projectId}/history?type=CheckFailed&type=CheckPassed`);
    const eventId = verdicts.body.events[0].id as string;
    await until(async () => (await api.get(`/project/${projectId}/history/${eventId}/evidence`)).status === 200, 5_000, 'evidence');
    const shown = [secrets.name, secrets.phone, secrets.tokenName, ...Object.values(handedOut)];
    const own = new Set(['GET /account', 'GET /account/tokens', 'GET /authenticate', 'GET /session']);
    const ofProject = new Set(['GET /project/:id', 'GET /project/:id/status', 'GET /project/:id/users']);
    const routes = Object.keys(apiRights).filter((route) => route.startsWith('GET ') && !/\/(live|create|start|\*)/.test(route));
    for (const [who, client] of [
      ['owner', api],
      ['admin', admin.api],
      ['auditor', auditor.api],
      ['anonymous', people.anonymous],
    ] as const) {
      for (const route of routes) {
        const path = route
          .slice(4)
          .replace(/^\/area\/:id/, `/area/${areaId}`)
          .replace(/^\/tests?\/:id/, `/test/${testId}`)
          .replace(':jobId', jobId)
          .replace(':eventId', eventId);
        const asked = path.replace(':id', projectId).replace(':channel', 'slack').replace(':name', 'project').replace(/:\w+/g, 'x');
        const mayShow = (who === 'owner' || who === 'auditor') && (own.has(route) || ofProject.has(route)) ? shown : [];
        const personalData = route === 'GET /accounts' || /history|compare/.test(route) ? [secrets.name, secrets.phone] : [];
        await ask(`${who} ${route}`, client.get(`${asked}?start=2020-01-01T00:00:00Z&from=2020-01-01T00:00:00Z`), [
          ...mayShow,
          ...personalData,
        ]);
        if (route.includes('history')) await ask(`${who} ${route} as CSV`, client.with({ accept: 'text/csv' }).get(asked), personalData);
      }
    }
    const stream = await EventStream.open(`${service.url}/api/project/${projectId}/live`, api.token);
    stream.close();
    const { apiKey: _, ...othersToo } = handedOut;
    const leaks = heard
      .map(({ what, text }) => [
        what,
        ...found(text, { ...secrets, ...keys, ...(what === 'register' || what === 'account' ? othersToo : handedOut) }),
      ])
      .filter(([, ...names]) => names.length > 0);
    expect(leaks).toEqual([]);
    expect(heard.length).toBeGreaterThan(200);
  });

  it('appear in no table', async () => {
    const tables = new Set<string>();
    for (const { pool } of new Set([service.database, service.observations])) {
      const { rows: names } = await pool.query<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      );
      for (const { name } of names) {
        tables.add(name);
        const { rows } = await pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
        expect([name, found(rows.map(({ row }) => row).join('\n'), { ...secrets, ...keys, ...handedOut })]).toEqual([name, []]);
      }
    }
    expect(tables.size).toBeGreaterThan(20);
  });

  it('appear in no log at any level and in no metric', async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(found(metrics, { ...secrets, ...keys, ...handedOut })).toEqual([]);
    const log = service.log.join('\n');
    expect(log).toContain('"url":"/api/projects?apikey=');
    const lines = service.log.filter((line) => found(line, { ...secrets, ...keys, ...handedOut, PASSWORD }).length > 0);
    expect(lines).toEqual([]);
  });
});
