import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaveChromium } from '../../support/chromium.ts';
import { ConsolePage } from '../../support/console-page.ts';
import { startHttp, type Site } from '../../support/servers/site.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { PASSWORD, type TestAccount, TestAccounts } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';

let site: Site;
let service: TestService;
let admin: TestAccount;
let projectId: string;
let page: ConsolePage;

beforeAll(async () => {
  site = await startHttp((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Shop</title>ok'));
  service = await TestService.start({
    env: { RATE_LIMIT: '0', REGISTRATION: 'open', ALLOW_TARGETS: '127.0.0.0/8', ALLOW_HOOKS: '127.0.0.0/8' },
  });
  const people = new TestAccounts(service);
  admin = await people.admin();
  projectId = ((await admin.api.post('/project/create', { url: site.url, title: 'Shop' })).body as { readonly id: string }).id;
  page = await ConsolePage.open(service.url);
  await page.signIn(ADMIN.email, ADMIN.password);
});
afterAll(async () => {
  expect(page.errors).toEqual([]);
  await page.close();
  await leaveChromium();
  await service.stop();
  await site.close();
});

interface Member {
  readonly email: string;
  readonly pending: boolean;
  readonly role: { readonly id: string };
}
const members = async (): Promise<readonly Member[]> => (await admin.api.get(`/project/${projectId}/users`)).body as readonly Member[];

describe('the people of a site', () => {
  it('are invited with a role, and their invitation is withdrawn', async () => {
    await page.go(`/console/projects/${projectId}`);
    await page.choose('Invite a person');
    await page.type('input[name=invited-email]', 'bob@example.test');
    await page.select('select[name=invited-role]', '5');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Invite');
    await page.sees('invited as developer');
    expect(await members()).toMatchObject([{ role: { id: '4' } }, { email: 'bob@example.test', pending: true, role: { id: '5' } }]);
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Withdraw');
    await page.seesNo('bob@example.test');
    expect(await members()).toHaveLength(1);
  });

  it('see on the page of all sites what they are invited to or offered, and answer there', async () => {
    const people = new TestAccounts(service);
    const other = await people.register();
    const [invited, offered] = [await people.project(other), await people.project(other)];
    const { email } = ADMIN;
    await other.api.client.patch('/project/{id}', { path: { id: invited }, body: { title: 'Workshop' } });
    await other.api.client.post('/project/{id}/users', { path: { id: invited }, body: { email, role: '6' } });
    await other.api.client.post('/project/{id}/transfer', { path: { id: offered }, body: { userId: admin.userId } });
    await page.go('/console');
    await page.sees('invites you as guest to Workshop');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Accept the invitation to Workshop');
    await page.seesNo('invites you as guest');
    await page.sees('wants to make you the owner of');
    await page.choose('Decline');
    await page.seesNo('wants to make you the owner of');
    const membersOf = async (id: string) => (await other.api.client.get('/project/{id}/users', { path: { id } })).data;
    expect(await membersOf(invited)).toMatchObject([{ pending: false }, { email, pending: false }]);
    expect(await membersOf(offered)).toHaveLength(1);
    await page.go(`/console/projects/${projectId}`);
  });

  it('hear of what they choose', async () => {
    await page.choose('Change your alerts');
    await page.select('select[name=severity]', '3');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Save');
    await page.absent('select[name=severity]');
    await page.sees('you hear of nothing: e-mail is not set up');
    expect((await admin.api.get(`/project/${projectId}/notifications`)).body).toMatchObject({ severity: 3, email: true });
  });

  it('pause and resume the destinations of its events', async () => {
    const wanted = { kind: 'webhook', name: 'ticket system', url: site.url, types: ['CheckFailed'] };
    expect((await admin.api.post(`/project/${projectId}/destinations`, wanted)).status).toBe(200);
    await page.go(`/console/projects/${projectId}`);
    await page.choose('Pause ticket system');
    await page.sees('paused since');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Resume ticket system');
    await page.sees('active');
  });

  it('see what another product measured, and remove it', async () => {
    const days = { origin: 'imported:uptime-kuma', from: '2025-02-28', up: [1_430, 1_440], down: [10, 0] };
    expect((await admin.api.put(`/project/${projectId}/imported-uptime`, days)).status).toBe(200);
    await page.go(`/console/projects/${projectId}`);
    await page.sees('uptime-kuma measured 99.653 % in 2,880 probes, 2025-02-28 to 2025-03-01');
    await page.choose('Remove the imported uptime');
    await page.seesNo('Imported uptime');
    expect((await admin.api.get(`/project/${projectId}/imported-uptime`)).body).toMatchObject({ origin: null });
  });

  it('set up a channel, whose key is shown once, and send a test message there', async () => {
    await page.go('/console/administration');
    await page.sees('not set up: needs a mail server of this installation');
    await page.choose('Set up webhook');
    await page.type('input[name=webhook-url]', 'nothing of the kind');
    await page.choose('Save');
    await page.present('.problem[role=alert]');
    await page.evaluate("document.querySelector('input[name=webhook-url]').select()");
    await page.type('input[name=webhook-url]', site.url);
    await page.choose('Save');
    await page.sees('It signs with whsec_');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Send a test message to webhook');
    await page.sees('Delivered: ');
  });
});

describe('a status page', () => {
  let address: string;
  /** A change is on the page within five seconds. */
  const outsidersSee = (text: string): Promise<void> =>
    until(async () => (await (await fetch(address)).text()).includes(text), 10_000, `outsiders see “${text}”`);

  it('is made of a site and a check in the order that is chosen, and shown to outsiders', async () => {
    const check = { name: 'Says welcome', url: '/', rules: [{ type: 'text', op: 'sub', val: 'welcome' }] };
    const checkId = String((await admin.api.post(`/project/${projectId}/tests`, check)).body.id);
    await page.go('/console/status-pages');
    await page.sees('There is no status page yet.');
    await page.choose('Make a status page');
    await page.type('input[name=page-title]', 'Example Shop');
    await page.type('input[name=heading-0]', 'Buying');
    await page.select('select[name=site-0]', projectId);
    await page.select('select[name=part-0]', projectId);
    await page.present(`input[name=item-${projectId}]`);
    await page.select('select[name=part-0]', checkId);
    await page.present(`input[name=item-${checkId}]`);
    expect(await page.problemsOfForms()).toEqual([]);
    const items = () => page.evaluate("[...document.querySelectorAll('.page-group li input')].map(({ value }) => value).join()");
    const closed = () =>
      page.evaluate(
        "[...document.querySelectorAll('.page-group [aria-disabled=true]')].map((button) => button.getAttribute('aria-label')).join()",
      );
    const press = (name: string) => page.evaluate(`document.querySelector('button[aria-label="${name}"]').click()`);
    expect(await closed()).toBe('Move Shop up,Move Says welcome down');
    await press('Move Shop up');
    await press('Move Says welcome down');
    expect(await items()).toBe('Shop,Says welcome');
    await press('Move Says welcome up');
    expect(await items()).toBe('Says welcome,Shop');
    expect(await closed()).toBe('Move Says welcome up,Move Shop down');
    await page.choose('Save');
    await page.sees('/status/example-shop');
    address = `${service.url}/status/example-shop`;
    await outsidersSee('Buying');
  });

  it('tells of an incident, adds to it, and shows what was edited', async () => {
    await page.choose('Write an incident');
    await page.type('input[name=incident-title]', 'Payments fail');
    await page.type('textarea[name=incident-text]', 'We are looking into it.');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Publish');
    await page.sees('Add an update');
    await outsidersSee('We are looking into it.');
    await page.choose('Edit');
    await page.type('textarea[name^=update-]', ' Soon more.');
    await page.choose('Save the edit');
    await page.sees('edited 1 time');
    await page.choose('Add an update');
    await page.type('textarea[name=update-text]', 'It works again.');
    await page.select('select[name=update-state]', 'resolved');
    await page.choose('Publish the update');
    await page.sees('It works again.');
    expect(await page.problemsOfForms()).toEqual([]);
    for (const text of ['Soon more.', 'It works again.']) await outsidersSee(text);
  });

  it('counts its subscribers, removes one, and gets a host name of its own', async () => {
    await page.sees('Readers subscribe on the page itself.');
    await page.type('input[name=page-hosts]', 'status.example.com');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Save the hosts');
    await page.sees('The page answers there within a few seconds.');
    const { port } = new URL(service.url);
    const seen = () => seenAtHost('status.example.com', Number(port));
    await until(async () => (await seen()).includes('Buying'), 10_000, 'the page at its host');
  });

  it('keeps a draft from outsiders until it is published', async () => {
    await page.choose('Write an incident');
    await page.type('input[name=incident-title]', 'Not yet known');
    await page.type('textarea[name=incident-text]', 'A draft of ours.');
    await page.evaluate("[...document.querySelectorAll('label')].find((label) => label.innerText.includes('A draft, which')).click()");
    await page.choose('Save the draft');
    await page.sees('Not yet known draft');
    expect(await (await fetch(address)).text()).not.toContain('A draft of ours.');
    await page.choose('Publish Not yet known');
    await page.sees('Not yet known investigating');
    await outsidersSee('A draft of ours.');
  });

  it('is changed, and refused where another person has changed it meanwhile', async () => {
    await page.type('input[name=page-title]', ' of ours');
    await page.choose('Save');
    await page.sees('Saved.');
    await outsidersSee('Example Shop of ours');
    const [{ id, ...theirs } = { id: '' }] = (await admin.api.get('/status-pages')).body as readonly { readonly id: string }[];
    expect((await admin.api.put(`/status-pages/${id}`, { ...theirs, title: 'Theirs' })).status).toBe(200);
    await page.type('textarea[name=page-about]', 'Mine.');
    await page.choose('Save');
    await page.present('.problem[role=alert]');
    expect((await admin.api.get(`/status-pages/${id}`)).body).toMatchObject({ title: 'Theirs', words: { about: '' } });
  });

  it('is deleted once that is confirmed, and kept when Enter is pressed twice', async () => {
    await page.choose('Delete the page');
    await page.present('dialog[open]');
    await page.press('Enter');
    await page.absent('dialog[open]');
    expect((await fetch(address)).status).toBe(200);
    await page.choose('Delete the page');
    await page.choose('Delete it');
    await page.sees('There is no status page yet.');
    await until(async () => (await fetch(address)).status === 404, 10_000, 'the page is gone');
  });
});

describe('a guest of a site', () => {
  let failure: { readonly id: string; readonly recordedAt: string };

  beforeAll(async () => {
    const people = new TestAccounts(service);
    const guest = await people.register('guest');
    await people.join(projectId, admin, guest, '6');
    expect((await admin.api.get(`/project/${projectId}/start?continue=true`)).status).toBe(200);
    const { events } = (await admin.api.get(`/project/${projectId}/history?type=CheckFailed&limit=1`)).body as {
      readonly events: readonly (typeof failure)[];
    };
    failure = events[0] ?? { id: '', recordedAt: '' };
    await page.signOut();
    await page.signIn(guest.email, PASSWORD);
  });

  it('reads who sees the evidence of a failure', async () => {
    await page.go(`/console/projects/${projectId}/events/${failure.id}`);
    await page.sees('The evidence is shown to developers and admins of the site: a page may lie behind a sign-in');
    await page.sees('From cause to effect');
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it('reads that an event was recorded after the instant that is shown, and nothing of it from then on', async () => {
    const [before, after] = [-1, 2].map((by) => new Date(Date.parse(failure.recordedAt) + by).toISOString());
    const note = 'It was recorded after the instant that the console shows: nothing of it was known then.';
    await page.go(`/console/projects/${projectId}/events/${failure.id}?at=${before ?? ''}`);
    await page.sees(note);
    expect(await page.problemsOfForms()).toEqual([]);
    await page.go(`/console/projects/${projectId}/events/${failure.id}?at=${after ?? ''}`);
    await page.sees('From cause to effect');
    expect(await page.text()).not.toContain(note);
  });

  it.each([
    ['checks/new', 'Your role adds no checks; developers and admins of the site do.'],
    ['groups/new', 'Your role adds no groups; developers and admins of the site do.'],
  ])('reads one sentence instead of the form of %s', async (path, sentence) => {
    await page.go(`/console/projects/${projectId}/${path}`);
    await page.sees(sentence);
    expect(await page.evaluate("document.querySelectorAll('main form').length")).toBe(0);
  });

  it('reads one sentence instead of the form of a status page, and finds no link to it', async () => {
    const sentence = 'Your role makes no status pages; admins of a site do.';
    await page.go('/console/status-pages');
    await page.sees(sentence);
    expect(await page.text()).not.toContain('Make a status page');
    await page.go('/console/status-pages/new');
    await page.sees(sentence);
    expect(await page.evaluate("document.querySelectorAll('main form').length")).toBe(0);
    expect(await page.problemsOfForms()).toEqual([]);
  });
});

describe('the owner of a site', () => {
  let owner: TestAccount;
  let own: string;
  let enabledAt: string;

  beforeAll(async () => {
    const people = new TestAccounts(service);
    owner = await people.register('owner');
    own = await people.project(owner, site.url);
    const change = (body: { readonly title?: string; readonly uptimeEnabled: '60' | 'false' }) =>
      owner.api.client.patch('/project/{id}', { path: { id: own }, body });
    await change({ title: 'Own site', uptimeEnabled: 'false' });
    const check = { name: 'Answers', url: '/', rules: [{ type: 'status', op: 'eq', val: '200' }] };
    expect((await owner.api.post(`/project/${own}/tests`, check)).status).toBe(200);
    expect((await owner.api.get(`/project/${own}/start?continue=true`)).status).toBe(200);
    await change({ uptimeEnabled: '60' });
    const { events } = (await owner.api.get(`/project/${own}/history?type=UptimePeriodChanged&limit=1`)).body as {
      readonly events: readonly { readonly recordedAt: string }[];
    };
    enabledAt = events[0]?.recordedAt ?? '';
    await page.signOut();
    await page.signIn(owner.email, PASSWORD);
  });

  it('does not read that it is well while its uptime was never measured', async () => {
    await page.go(`/console?at=${new Date(Date.parse(enabledAt) + 1).toISOString()}`);
    await page.sees('1 has no measured uptime yet.');
    await page.sees('No site needs attention.');
    expect(await page.text()).not.toContain('The site is well.');
  });

  it('offers for a status page no part of a site that the role may not show', async () => {
    await new TestAccounts(service).join(projectId, admin, owner, '5');
    await page.go('/console/status-pages/new');
    await page.select('select[name=site-0]', projectId);
    await page.sees('Your role shows it on no status page; admins of the site do.');
    await page.absent('select[name=part-0]');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.select('select[name=site-0]', own);
    await page.present('select[name=part-0]');
  });
});

/** The page at `/` of a host. */
const seenAtHost = (host: string, port: number): Promise<string> =>
  new Promise((done, failed) => {
    get({ host: '127.0.0.1', port, path: '/', headers: { host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => done(text));
    }).on('error', failed);
  });
