import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSigner } from '../../../src/proof/seal/signer.ts';
import { leafHash } from '../../../src/client/proofs/merkle-tree.ts';
import { Browser } from '../../support/browser.ts';
import { accessibilityProblems } from '../../support/accessibility.ts';
import { type ChromiumPage, leaveChromium, openPage } from '../../support/chromium.ts';
import { examplePage } from '../../support/status-page-model.ts';
import { renderStatusPage } from '../../../src/status-pages/page/render-page.ts';
import { watchledger } from '../../support/command-line.ts';
import { ConsoleClient } from '../../support/console-client.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createTestMailServer, type TestMailServer } from '../../support/servers/mail.ts';
import { SeveringProxy } from '../../support/severing-proxy.ts';
import { TestService } from '../../support/service.ts';
import { PASSWORD, type TestAccount, TestAccounts } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';

const CANARY = `"><script>document.title='ran'</script><img src=x onerror="document.title='ran'">`;
const STEP_MS = 10_000;

let proxy: SeveringProxy;
let mail: TestMailServer;
let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let stranger: TestAccount;
let project: string;
let pageId: string;

beforeAll(async () => {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  proxy = await SeveringProxy.before(Number(url.port));
  url.port = String(proxy.address.port);
  mail = await createTestMailServer();
  service = await TestService.start({
    database,
    env: {
      // Without a checker: nothing is measured.
      ...{ REGISTRATION: 'open', RATE_LIMIT: '0', ROLES: 'api,projector,reactor' },
      ...{ SECOND_FACTOR_ROLES: 'auditor', DATABASE_URL: url.href, SMTP_URL: mail.url },
    },
  });
  people = new TestAccounts(service);
  [owner, stranger] = await Promise.all([people.register('owner'), people.register('stranger')]);
  await people.administer(owner, { plan: 'unlimited' });
  project = await people.project(owner);
  pageId = (await owner.api.post('/status-pages', page('shop', { title: CANARY, languages: ['en', 'de', 'cs'] }))).body.id as string;
});
afterAll(async () => {
  await leaveChromium();
  await service.stop();
  await proxy.close();
  await mail.close();
});

const page = (slug: string, changes: object = {}): object => ({
  ...{ slug, title: 'Shop', groups: [{ name: CANARY, items: [{ name: 'Site', project }] }] },
  ...changes,
});
const open = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${service.url}${path}`, init);
const textOf = async (path: string): Promise<string> => (await open(path)).text();
const shows = (path: string, wanted: string): Promise<void> => until(async () => (await textOf(path)).includes(wanted), STEP_MS, wanted);

describe('a status page', () => {
  it('is made only by those who may edit all that it shows', async () => {
    expect((await stranger.api.post('/status-pages', page('theirs'))).status).toBe(403);
    const developer = await people.register('developer');
    await people.join(project, owner, developer, '5');
    expect((await developer.api.post('/status-pages', page('theirs'))).status).toBe(403);
    for (const { api } of [stranger, developer]) {
      expect((await api.get('/status-pages')).body).toEqual([]);
      expect((await api.get(`/status-pages/${pageId}`)).status).toBe(404);
      expect((await api.put(`/status-pages/${pageId}`, page('shop'))).status).toBe(404);
      expect((await api.delete(`/status-pages/${pageId}`)).status).toBe(404);
      expect((await api.post(`/status-pages/${pageId}/incidents`, { title: 't', text: 't' })).status).toBe(404);
    }
    expect((await owner.api.post('/status-pages', page('shop'))).body).toMatchObject({ code: 409, errorCode: 'SLUG_TAKEN' });
    const faint = await owner.api.post('/status-pages', page('faint', { colors: { light: '#dddddd' } }));
    expect(faint.body.message).toContain('colors.light: has a contrast of 1.3 to the page');
  });

  it('is changed under If-Match', async () => {
    const { headers } = await owner.api.get(`/status-pages/${pageId}`);
    const tagged = owner.api.with({ 'if-match': headers.get('etag') ?? '' });
    const changed = page('shop', { title: CANARY, languages: ['en', 'de', 'cs'], words: { about: CANARY } });
    expect((await tagged.put(`/status-pages/${pageId}`, changed)).status).toBe(200);
    const late = await tagged.put(`/status-pages/${pageId}`, changed);
    expect([late.status, late.body.changes[0].type]).toEqual([412, 'StatusPageChanged']);
  });

  it('answers first, in the language of its reader, without a script', async () => {
    const answer = await open('/status/shop', { headers: { 'accept-language': 'de' } });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=2']);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'/,
    );
    expect(await answer.text()).toContain('<h1>Im Moment wird nichts gemessen.</h1>');
    const etag = answer.headers.get('etag') ?? '';
    expect((await open('/status/shop', { headers: { 'accept-language': 'de', 'if-none-match': etag } })).status).toBe(304);
    expect((await open('/status/shop/badge.svg')).headers.get('content-type')).toContain('image/svg+xml');
    expect(await textOf('/status/shop/feed.atom')).toContain('<feed xmlns="http://www.w3.org/2005/Atom">');
    expect(JSON.parse(await textOf('/status/shop/feed.json'))).toMatchObject({ _status: { items: [{ name: 'Site', state: 'unknown' }] } });
  });

  it('shows incidents when they are published, edits as edits, and every instant as it was', async () => {
    const { api } = owner;
    const incidents = `/status-pages/${pageId}/incidents`;
    const draft = await api.post(incidents, { title: 'Cart slow', text: 'We suspect the cache.', items: [project], draft: true });
    const id = draft.body.id as string;
    const before = new Date().toISOString();
    expect((await api.post(`${incidents}/${id}/publish`)).body).toMatchObject({ draft: false, state: 'investigating' });
    const updateId = (await api.get(incidents)).body[0].updates[0].id as string;
    await shows('/status/shop', 'We suspect the cache.');
    await api.put(`${incidents}/${id}/updates/${updateId}`, { text: 'We suspect the network.' });
    await api.post(`${incidents}/${id}/updates`, { text: 'It is over.', state: 'resolved' });
    await shows('/status/shop', 'It is over.');
    const now = await textOf('/status/shop');
    expect([now.includes('We suspect the network.'), now.includes('Wording before'), now.includes('We suspect the cache.')]).toEqual([
      true,
      true,
      true,
    ]);
    const then = await textOf(`/status/shop?asOf=${before}`);
    expect([then.includes('This page as it was on'), then.includes('class="incident'), then.includes('It is over.')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await textOf(`/status/shop?asOf=${before.slice(0, 10)}`)).toContain('It is over.');
    const [early, wrong] = [await open('/status/shop?asOf=2020-01-01T00:00'), await open('/status/shop?asOf=soon')];
    expect([early.status, wrong.status]).toEqual([404, 400]);
    expect(await early.text()).toMatch(/This page begins later\..*Its beginning, /);
    expect((await api.delete(`${incidents}/${id}`)).body).toMatchObject({ errorCode: 'INCIDENT_PUBLISHED' });
  });

  it('leads to its record, by hashes that the seal proves, and says nothing of drafts', async () => {
    const { api } = owner;
    await api.post(`/status-pages/${pageId}/incidents`, { title: 'Secret title', text: 'Secret text', draft: true });
    const record = await textOf('/status/shop/record/incidents');
    const [, n = ''] = /\/proof\/(\d+)"/.exec(record) ?? [];
    const proof = (await (await open(`/status/shop/proof/${n}`)).json()) as {
      index: number;
      leafHash: string;
      leaf: string;
      size: number;
      path: readonly string[];
    };
    expect([String(proof.index), record.includes(proof.leafHash)]).toEqual([n, true]);
    // Verifiable as a whole, and with no member that the guide does not name.
    expect(leafHash(proof.leaf).toString('base64')).toBe(proof.leafHash);
    const membersOf = (value: unknown): readonly string[] =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? []
        : Object.entries(value).flatMap(([name, inner]) => [name, ...membersOf(inner)]);
    const guide = readFileSync(new URL('../../../docs/status-pages.md', import.meta.url), 'utf8');
    expect(membersOf(JSON.parse(proof.leaf)).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
    for (const words of [
      'The hash shows that their words have not changed.',
      'Incident: <bdi>Cart slow',
      'Update: <bdi>It is over.',
      'New wording: <bdi>We suspect the network.',
    ])
      expect(record).toContain(words);
    const admin = await people.admin();
    const { events } = (await admin.api.get('/history?type=IncidentUpdated')).body as {
      events: readonly { id: string; position: string }[];
    };
    expect(events.map(({ position }) => position)).toContain(n);
    expect(Buffer.from(proof.leafHash, 'base64')).toHaveLength(leafHash('').length);
    // Events of others, and private ones of the page, have no proof here.
    const { events: accounts } = (await admin.api.get('/history?type=AccountOpened&type=StatusPageCreated&type=IncidentDrafted')).body as {
      events: readonly { position: string }[];
    };
    for (const { position } of accounts) expect((await open(`/status/shop/proof/${position}`)).status).toBe(404);
    for (const path of ['', '/feed.atom', '/feed.json', '/record/incidents', '?lang=cs', `?asOf=${new Date().toISOString()}`])
      expect(await textOf(`/status/shop${path}`)).not.toContain('Secret');
  });

  it('that becomes public shows nothing of what was said before, and in its past nothing that may not be shown today', async () => {
    const { api } = owner;
    const [kept, gone] = [await people.project(owner), await people.project(owner)];
    const items = [
      { name: 'Kept item', project: kept },
      { name: 'Removed item', project: gone },
    ];
    const settings = { ...{ slug: 'opened', title: 'Opened' }, groups: [{ name: 'Sites', items }] };
    const { body: made } = await api.post('/status-pages', { ...settings, access: 'members' });
    const path = `/status-pages/${made.id as string}`;
    const say = async (text: string): Promise<string> => {
      const { body } = await api.post(`${path}/incidents`, { title: text, text, items: [kept] });
      return body.id as string;
    };
    const early = await say('Said to members');
    const before = new Date().toISOString();
    await api.put(path, { ...settings, access: 'public' });
    const opened = new Date().toISOString();
    await api.post(`${path}/incidents/${early}/updates`, { text: 'Later words to members', state: 'identified' });
    await say('Said to all');
    await shows('/status/opened', 'Said to all');
    expect(await textOf(`/status/opened?asOf=${opened}`)).toContain('Removed item');
    await api.put(path, { ...settings, groups: [{ name: 'Sites', items: items.slice(0, 1) }] });
    await until(async () => !(await textOf('/status/opened')).includes('Removed item'), STEP_MS, 'the page without the item');
    const refused = await open(`/status/opened?asOf=${before}`);
    expect([refused.status, (await refused.text()).includes('This page begins later.')]).toEqual([404, true]);
    const admin = await people.admin();
    const { events } = (await admin.api.get('/history?type=IncidentPublished&type=IncidentUpdated')).body as {
      events: readonly { position: string; summary: string }[];
    };
    const hidden = events.filter(({ summary }) => summary.includes('Said to members') || summary.includes('Later words to members'));
    expect(hidden).not.toHaveLength(0);
    for (const { position } of hidden) expect((await open(`/status/opened/proof/${position}`)).status).toBe(404);
    for (const part of ['', '/feed.atom', '/feed.json', '/record/incidents', '/record.json', `?asOf=${opened}`]) {
      const text = await textOf(`/status/opened${part}`);
      expect([part, text.includes('Kept item') || text.includes('Said to all'), /to members|Removed item/.test(text)]).toEqual([
        part,
        true,
        false,
      ]);
    }
  });

  it('for members opens to a session that reads one of its projects, and is a slug without a page to all others', async () => {
    const made = await owner.api.post('/status-pages', page('team', { title: 'Team', access: 'members' }));
    expect(made.status).toBe(200);
    const member = await people.register('guest');
    const asMember = await ConsoleClient.at(service.url).signIn(member.email, PASSWORD);
    const asStranger = await ConsoleClient.at(service.url).signIn(stranger.email, PASSWORD);
    const seen = async (path: string, cookie: string | null): Promise<string> => {
      const answer = await open(path, { headers: cookie === null ? {} : { cookie } });
      return `${String(answer.status)} ${String(answer.headers.get('cache-control'))} ${(await answer.text()).replaceAll('no-such-page', 'team')}`;
    };
    const nothing = await seen('/status/no-such-page', null);
    expect(nothing).toMatch(/^404 /);
    for (const cookie of [null, asStranger.cookie, asMember.cookie, 'session=forged'])
      expect(await seen('/status/team', cookie)).toBe(nothing);
    await people.join(project, owner, member, '6');
    await until(
      async () => (await seen('/status/team', asMember.cookie)).startsWith('200 private, no-store'),
      STEP_MS,
      'the member sees it',
    );
    expect(await seen('/status/team/feed.json', asMember.cookie)).toMatch(/^200 /);
    expect(await seen('/status/team', asStranger.cookie)).toBe(nothing);
    // A token is no session: a page is for people.
    const byToken = await open('/status/team', { headers: { authorization: `Bearer ${member.api.token ?? ''}` } });
    expect(byToken.status).toBe(404);
    // An account that must have a second factor and has none reads nothing.
    await people.administer(member, { systemRole: 'auditor' });
    await until(
      async () => (await seen('/status/team', asMember.cookie)) === nothing,
      STEP_MS,
      'the auditor without a factor sees nothing',
    );
    await people.administer(member, { systemRole: null });
    await until(async () => (await seen('/status/team', asMember.cookie)).startsWith('200 '), STEP_MS, 'the member sees it again');
    await owner.api.delete(`/project/${project}/users`, { users: [member.userId] });
    await until(async () => (await seen('/status/team', asMember.cookie)) === nothing, STEP_MS, 'a former member sees nothing');
  });

  it('behind a password is answered like a page that does not exist, until the password opens it', async () => {
    const body = page('inner', { title: 'Inner', access: 'password', password: 'correct horse' });
    const { body: made } = await owner.api.post('/status-pages', body);
    expect([made.hasPassword, JSON.stringify(made).includes('correct horse')]).toEqual([true, false]);
    const answers = await Promise.all(
      ['inner', 'outer'].map(async (slug) => {
        const answer = await open(`/status/${slug}`, { headers: { 'accept-encoding': 'identity' } });
        const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id', 'etag'].includes(name));
        return [answer.status, headers, (await answer.text()).replaceAll(slug, 'slug')];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    for (const path of ['/feed.atom', '/feed.json', '/badge.svg', '/record/incidents', '/proof/1', `?asOf=${new Date().toISOString()}`])
      expect((await open(`/status/inner${path}`)).status).toBe(404);
    const post = (slug: string, password: string): Promise<Response> =>
      open(`/status/${slug}/password`, { method: 'POST', body: new URLSearchParams({ password }), redirect: 'manual' });
    expect([(await post('inner', 'wrong horse')).status, (await post('outer', 'correct horse')).status]).toEqual([404, 404]);
    const opened = await post('inner', 'correct horse');
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/status/inner']);
    expect(opened.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax$/);
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const inner = await open('/status/inner', { headers: { cookie } });
    expect([inner.status, inner.headers.get('cache-control'), (await inner.text()).includes('Inner')]).toEqual([
      200,
      'private, no-store',
      true,
    ]);
    // Another password ends what the one before has opened.
    await owner.api.put(`/status-pages/${made.id as string}`, { ...body, password: 'battery staple' });
    await until(async () => (await open('/status/inner', { headers: { cookie } })).status === 404, STEP_MS, 'the end of the cookie');
  });

  it('is served from memory while the database is away', async () => {
    await shows('/status/shop', 'It is over.');
    proxy.refuse(true);
    proxy.dropConnections();
    try {
      await shows('/status/shop', 'The record cannot be read at the moment. This page shows the state of');
      expect((await open('/status/shop')).status).toBe(200);
      const unknown = await open('/status/never-asked-for');
      expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '5']);
    } finally {
      proxy.refuse(false);
    }
    await until(
      async () => !(await textOf('/status/shop')).includes('cannot be read at the moment'),
      STEP_MS,
      'the page after the database is back',
    );
    await until(async () => (await open('/health/ready')).ok, STEP_MS, 'that the service is ready');
  });
});

describe('a subscriber', () => {
  const post = (path: string, form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    open(path, { method: 'POST', body: new URLSearchParams(form), headers });
  // The last one is in the body: the mail server decodes the header like a body, which changes `=` and two digits.
  const linkIn = (text: string, path: string): string => text.match(new RegExp(`${path}\\?token=[\\w.-]+`, 'g'))?.at(-1) ?? 'none';
  const counts = async (): Promise<unknown> => (await owner.api.get(`/status-pages/${pageId}/subscribers`)).body;

  it('confirms by a link that needs a click, gets what is published, and leaves by one click of the mail program', async () => {
    expect(await textOf('/status/shop/subscribe')).toContain('<input id="email" name="email" type="email"');
    const answers = await Promise.all(['ada@example.test', 'eve@example.test'].map((email) => post('/status/shop/subscribe', { email })));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect([answers.map(({ status }) => status), texts[0] === texts[1]]).toEqual([[200, 200], true]);
    await until(() => Promise.resolve(mail.to('ada@example.test').length === 1), STEP_MS, 'the mail');
    const confirm = linkIn(mail.to('ada@example.test')[0] ?? '', '/status/-/confirm');
    expect(await textOf(confirm)).toContain('Messages of');
    expect(await counts()).toEqual({ email: 0, webhook: 0, failing: 0 });
    for (const again of [1, 2]) expect([again, (await open(confirm, { method: 'POST' })).status]).toEqual([again, 200]);
    expect(await counts()).toEqual({ email: 1, webhook: 0, failing: 0 });
    await owner.api.post(`/status-pages/${pageId}/incidents`, { title: 'Mail slow', text: CANARY });
    await until(() => Promise.resolve(mail.to('ada@example.test').length === 2), STEP_MS, 'the notice');
    const notice = mail.to('ada@example.test')[1] ?? '';
    const leave = linkIn(notice, '/status/-/leave');
    expect([notice.includes('Mail slow: Investigating'), notice.slice(notice.indexOf('text/html')).includes('<script>document')]).toEqual([
      true,
      false,
    ]);
    expect(await textOf(leave)).toContain('<button>Unsubscribe</button>');
    for (const again of [1, 2]) expect([again, (await post(leave, { 'List-Unsubscribe': 'One-Click' })).status]).toEqual([again, 200]);
    expect(await counts()).toEqual({ email: 0, webhook: 0, failing: 0 });
    expect(mail.to('eve@example.test')).toHaveLength(1);
  });

  it('is removed by an editor, and counted by no other account', async () => {
    await post('/status/shop/subscribe', { email: 'bob@example.test' });
    await until(() => Promise.resolve(mail.to('bob@example.test').length === 1), STEP_MS, 'the mail');
    await open(linkIn(mail.to('bob@example.test')[0] ?? '', '/status/-/confirm'), { method: 'POST' });
    const path = `/status-pages/${pageId}/subscribers`;
    expect((await stranger.api.get(path)).status).toBe(404);
    expect((await stranger.api.post(`${path}/remove`, { address: 'bob@example.test' })).status).toBe(404);
    expect((await owner.api.post(`${path}/remove`, { address: 'BOB@example.test' })).body).toEqual({ removed: true });
    expect((await owner.api.post(`${path}/remove`, { address: 'bob@example.test' })).body).toEqual({ removed: false });
    expect((await owner.api.post(`${path}/retry`, {})).body).toEqual({ messages: 0 });
  });

  it('is not signed up by another site, by an inner address, or for a page that cannot be seen', async () => {
    const email = 'victim@example.test';
    expect((await post('/status/shop/subscribe', { email }, { 'sec-fetch-site': 'cross-site' })).status).toBe(400);
    expect((await post('/status/shop/subscribe', { webhook: 'http://169.254.169.254/latest' })).status).toBe(400);
    expect((await post('/status/shop/subscribe', { email, item: 'unknown' })).status).toBe(400);
    expect((await post('/status/shop/subscribe', { email: 'nonsense' })).status).toBe(400);
    for (const slug of ['team', 'inner', 'unknown']) expect((await post(`/status/${slug}/subscribe`, { email })).status).toBe(404);
    for (const path of ['/status/-/confirm?token=x', '/status/-/leave?token=x', '/status/-/confirm'])
      expect((await open(path)).status).toBe(404);
    expect(mail.to(email)).toEqual([]);
  });
});

describe('a host of its own', () => {
  const HOST = 'status.example.com';
  const at = (path: string, host = HOST): Promise<{ status: number | undefined; text: string }> =>
    new Promise((done, failed) => {
      const { port } = new URL(service.url);
      get({ host: '127.0.0.1', port, path, headers: { host } }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => {
          done({ status: answer.statusCode, text });
        });
      }).on('error', failed);
    });

  it('is given by administrators, to one page, and answers this page alone', async () => {
    const admin = await people.admin();
    const hosts = `/status-pages/${pageId}/hosts`;
    expect((await owner.api.put(hosts, { hosts: [HOST] })).status).toBe(403);
    expect((await admin.api.put(hosts, { hosts: ['127.0.0.1'] })).status).toBe(400);
    expect((await admin.api.put(hosts, { hosts: [HOST.toUpperCase()] })).body).toEqual({ hosts: [HOST] });
    const { body: other } = await owner.api.post('/status-pages', page('other', { title: 'Other' }));
    const taken = await admin.api.put(`/status-pages/${other.id as string}/hosts`, { hosts: [HOST] });
    expect(taken.body).toMatchObject({ code: 409, errorCode: 'HOST_TAKEN' });
    await until(async () => (await at('/')).status === 200, STEP_MS, 'the page at its host');
    const { text } = await at('/?lang=en');
    expect([text.includes('href="/record/incidents'), text.includes('/status/')]).toEqual([true, false]);
    for (const path of ['/feed.atom', '/feed.json', '/badge.svg', '/record/incidents', '/record.json', '/subscribe'])
      expect([path, (await at(path)).status]).toEqual([path, 200]);
    expect((await at('/feed.json')).text).toContain(`"home_page_url":"http://${HOST}"`);
    for (const path of [
      '/api/account',
      '/api/openapi.json',
      '/console',
      '/docs',
      '/metrics',
      '/health/live',
      '/status/other',
      '/status/shop',
    ])
      expect([path, (await at(path)).status]).toEqual([path, 404]);
    expect((await owner.api.get(`/status-pages/${pageId}`)).body).toMatchObject({ hosts: [HOST], url: `http://${HOST}` });
    expect((await open('/status/shop')).status).toBe(200);
  });
});

describe('a stranger', () => {
  it('verifies the page against its log, by the key or by a pin, and sees what is not proven', async () => {
    const key = (await textOf('/api/ledger/key')).trim();
    const url = `${service.url}/status/shop`;
    const [origin = ''] = key.split('+');
    const other = createSigner(origin, Buffer.alloc(32, 7)).verifierKey;
    const [checked, refused, unkeyed] = await Promise.all(
      [['--key', key], ['--key', other], []].map((pin) => watchledger({}, 'verify', '--status-page', url, ...pin).ran),
    );
    expect(checked?.out).toMatch(/Proven: \d+ texts of \d+ incidents stand in the log word for word/);
    expect([checked?.status, refused?.status, unkeyed?.status]).toEqual([0, 1, 2]);
    expect(refused?.out).toContain('NOT PROVEN: the checkpoint is not signed by a trusted key');
  });
});

describe('in a browser', () => {
  let tab: ChromiumPage;
  beforeAll(async () => {
    tab = await openPage();
  });

  it('runs nothing of what people have typed, and loads nothing', async () => {
    const requests: string[] = [];
    tab.on('request', (request) => requests.push(request.url()));
    const paths = ['', '/subscribe', '/record/incidents', `?asOf=${new Date().toISOString()}`].map(
      (path) => `${service.url}/status/shop${path}`,
    );
    for (const url of paths) {
      await tab.goto(url);
      const seen = `[document.title === 'ran', document.scripts.length, document.images.length, document.getAnimations().length]`;
      expect([url, await tab.evaluate(seen)]).toEqual([url, [false, 0, 0, 0]]);
    }
    expect(requests.filter((url) => !url.startsWith('data:') && !url.endsWith('/favicon.ico'))).toEqual(paths);
  });

  it('is accessible by axe-core, in the light and in the dark', async () => {
    for (const [scheme, width] of [
      ['light', 1600],
      ['dark', 360],
    ] as const) {
      await tab.setViewport({ width, height: 800 });
      await tab.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: scheme },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ]);
      const { html } = renderStatusPage(examplePage({ isPast: true }), 'en');
      const pages = ['shop', 'shop/record/incidents', 'shop/subscribe', 'unknown'].map((path) => `${service.url}/status/${path}`);
      for (const url of [...pages, `data:text/html;charset=utf-8,${encodeURIComponent(html)}`]) {
        await tab.goto(url);
        expect([url.slice(0, 60), await accessibilityProblems(tab)]).toEqual([url.slice(0, 60), []]);
      }
    }
  });

  it('fits into 360 px, and into 1600 px', async () => {
    for (const width of [360, 1600]) {
      await tab.setViewport({ width, height: 800 });
      for (const path of ['', '/record/incidents', '/subscribe']) {
        await tab.goto(`${service.url}/status/shop${path}`);
        expect(await tab.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      }
    }
  });
});

it('a browser without cookies sees nothing behind a password', async () => {
  const browser = new Browser();
  expect((await browser.open(`${service.url}/status/inner`)).status).toBe(404);
});
