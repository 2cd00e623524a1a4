import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaveChromium } from '../../support/chromium.ts';
import { signInLink } from '../../support/console-client.ts';
import { ConsolePage } from '../../support/console-page.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { type TestAccount, TestAccounts } from '../../support/test-accounts.ts';
import { isRelease } from '../../support/thorough.ts';

const CANARY = `<img src=x onerror="document.title='ran'"><script>document.title='ran'</script>`;
const BROKEN = `<!doctype html>\n<title>${CANARY}</title>\n<p>We could not load your items.</p>\n`;

let site: Site;
let isBroken = true;
let service: TestService;
let admin: TestAccount;
let page: ConsolePage;
let projectId: string;

beforeAll(async () => {
  site = await startHttp((_, response) => {
    response.writeHead(isBroken ? 500 : 200, { 'content-type': 'text/html' }).end(BROKEN);
  });
  service = await TestService.start({ env: { RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8' } });
  admin = await new TestAccounts(service).admin();
});
afterAll(async () => {
  expect(page.errors).toEqual([]);
  await page.close();
  await leaveChromium();
  await service.stop();
  await site.close();
});

describe('the console', () => {
  it('is opened by a one-time link, asks for a password, and watches a first site by its address alone', async () => {
    const link = await signInLink(service.database.pool, admin.userId);
    page = await ConsolePage.open(service.url, `/console/welcome#link=${link}`);
    await page.sees('Choose a password');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.type('input[name=new-password]', ADMIN.password);
    await page.choose('Save the password');
    await page.sees('Nothing is watched yet.');
    expect(await page.evaluate('location.hash')).toBe('');
    await page.type('input[name=url]', site.url);
    await page.press('Enter');
    await page.sees('Run all checks now');
    projectId = /projects\/([0-9a-f]{24})/.exec(await page.path())?.[1] ?? '';
    expect(projectId).not.toBe('');
    // The new password ended every token.
    admin = await new TestAccounts(service).admin();
  });

  it('is live in the tenth tab, over one stream for all, which another tab takes over, and says so when it is not', async () => {
    const tabs: ConsolePage[] = [];
    for (let index = 0; index < 9; index++) tabs.push(await ConsolePage.open(service.url));
    const [first, last] = [tabs[0]!, tabs[8]!];
    const state = "document.querySelector('.live')?.textContent.trim()";
    for (const tab of tabs) await tab.holds(`${state} === 'Live'`, 'Live');
    const shown = async (title: string, at: ConsolePage): Promise<void> => {
      await admin.api.put(`/project/${projectId}`, { title });
      await at.sees(title);
    };
    await shown('Seen in the tenth tab', last);
    // The oldest tabs hold the stream, one after the other.
    await page.go('/docs');
    await first.close();
    await shown('Seen after the change of hands', last);
    await last.evaluate(`{
      const real = globalThis.fetch;
      globalThis.fetch = (...asked) => String(asked[0]).includes('/api/events')
        ? Promise.resolve(new Response('{}', { status: 429, headers: { 'retry-after': '1' } })) : real(...asked);
    }`);
    for (const tab of tabs.slice(1, 8)) await tab.close();
    await last.holds(`${state} === 'Not live'`, 'Not live');
    await last.close();
    await admin.api.put(`/project/${projectId}`, { title: new URL(site.url).host });
    await page.go(`/console/projects/${projectId}`);
  });

  it('shows the first results as they come, without a reload', async () => {
    await page.sees('is failing');
    await page.sees('What happened last');
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it('leads from what is wrong to its evidence, its chain, its data and its proof', async () => {
    await page.choose('Evidence');
    await page.sees('The page came as 500');
    await page.holds('/^Evidence: .+ – .+ – Watchledger$/.test(document.title)', 'a title of its own');
    await page.sees('As received');
    await page.sees('We could not load your items.');
    await page.sees('From cause to effect');
    await page.choose('Verify in this browser');
    await page.sees('Verified in this browser: the event is in the sealed log, in this form.');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Headers');
    await page.sees('content-type: text/html');
  });

  it('ends in a statement of the month that the browser computes again, without a terminal', async () => {
    await page.choose('Proof');
    await page.sees('events are sealed.');
    await page.sees(new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date()));
    const statement = await page.evaluate(`fetch(document.querySelector('a[download]').href).then((answer) => answer.text())`);
    await page.evaluate(`{
      const chosen = new DataTransfer();
      chosen.items.add(new File([${JSON.stringify(String(statement))}], 'statement.json'));
      const field = document.querySelector('input[type=file]');
      field.files = chosen.files;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
    await page.sees('statement.json holds.');
  });

  it('never runs what a site or a person wrote', async () => {
    const before = new Date().toISOString();
    expect((await admin.api.put(`/project/${projectId}`, { title: CANARY })).status).toBe(200);
    const hostile = {
      name: CANARY,
      url: `/?${encodeURIComponent(CANARY)}`,
      notice: CANARY,
      rules: [{ type: 'text', op: 'sub', val: CANARY }],
    };
    const made = await admin.api.post(`/project/${projectId}/tests`, hostile);
    const { id: testId, areaId } = made.body as { readonly id: string; readonly areaId: string };
    expect((await admin.api.patch(`/area/${areaId}`, { name: CANARY })).status).toBe(200);
    const window = {
      from: new Date(Date.now() + 3_600_000).toISOString(),
      to: new Date(Date.now() + 7_200_000).toISOString(),
      note: CANARY,
    };
    const planned = await admin.api.post(`/project/${projectId}/maintenance`, window);
    const item = { project: projectId, name: CANARY };
    const shown = await admin.api.post('/status-pages', { slug: 'hostile', title: CANARY, groups: [{ name: CANARY, items: [item] }] });
    const { id: pageId } = shown.body as { readonly id: string };
    const { tid } = (await admin.api.post('/account/tokens', { name: CANARY })).body as { readonly tid: string };
    const { events } = (await admin.api.get(`/project/${projectId}/history?type=CheckFailed&limit=1`)).body as {
      readonly events: readonly { id: string }[];
    };
    const ofProject = [
      '',
      '/timeline',
      `/compare?at=${before}`,
      `/checks/${testId}`,
      `/groups/${areaId}`,
      `/events/${events[0]?.id ?? ''}`,
    ];
    const others = ['/proof', '/administration', '/status-pages', '?view=wall'];
    const expectText = async (): Promise<void> => {
      await page.sees("document.title='ran'");
      expect(await page.evaluate('document.title')).not.toBe('ran');
      expect(await page.evaluate("document.querySelectorAll('img, #app script').length")).toBe(0);
    };
    for (const path of [...others, '', ...ofProject.map((rest) => `/projects/${projectId}${rest}`)]) {
      await page.go(`/console${path}`);
      await expectText();
    }
    await page.present('.header');
    await page.press('/');
    await page.type('.search-dialog input', 'onerror');
    await page.present('.found-places li');
    await expectText();
    for (const path of [`/status-pages/${pageId}`, `/account/tokens/${tid}`]) expect((await admin.api.delete(path)).status).toBe(200);
    const { id: windowId } = planned.body as { readonly id: string };
    for (const path of [`/test/${testId}`, `/project/${projectId}/maintenance/${windowId}`])
      expect((await admin.api.delete(path)).status).toBe(200);
    expect((await admin.api.patch(`/area/${areaId}`, { name: 'Public' })).status).toBe(200);
    expect((await admin.api.put(`/project/${projectId}`, { title: 'Basket shop' })).status).toBe(200);
  });

  it('shows the history as sentences, by kind', async () => {
    await page.go(`/console/projects/${projectId}/timeline`);
    await page.sees('What happened in Basket shop');
    await page.sees('created for');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Failures');
    await page.seesNo('created for');
    await page.sees('Check Homepage failed');
    expect(await page.path()).toContain('show=failures');
    await page.choose('Everything');
    await page.choose('By chain');
    await page.sees('followed');
    expect(await page.path()).toContain('group=chain');
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it('shows the past on every page by keys: read only, kept in links, until T', async () => {
    await page.go(`/console/projects/${projectId}`);
    await page.sees('Run all checks now');
    await page.press('[');
    await page.sees('As it was on');
    expect(await page.path()).toMatch(/\?at=20/);
    expect(await page.text()).not.toContain('Run all checks now');
    // Back to where the project had the title that it was created with.
    for (let step = 0; step < 60 && !(await page.text()).includes('has been checked yet'); step++) {
      await page.press('[');
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await page.sees('Nothing of');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Sites');
    await page.sees('Nothing has been checked yet.');
    expect(await page.path()).toMatch(/^\/console\?at=20/);
    expect(await page.evaluate("document.querySelector('input[name=url]')")).toBeNull();
    await page.press('t');
    await page.absent('.past-banner');
    await page.sees('needs attention');
  });

  it('says of an instant before the first site that nothing was watched, and from when on there is a record', async () => {
    await page.go('/console?at=2020-01-01T00:00:00Z');
    await page.sees('Nothing was watched then.');
    await page.sees('The record of your sites begins on');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose(new Date().toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' }));
    await page.sees('All sites 1');
    await page.press('t');
  });

  it('lists all sites with their figures, sorts and filters them, and finds one', async () => {
    expect((await admin.api.post('/project/create', { url: new URL('/other/', site.url).href, uptimeEnabled: false })).status).toBe(200);
    await page.go('/console');
    await page.sees('All sites 2');
    await page.lines(2);
    await page.present('.line .strip');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Address');
    expect(await page.path()).toContain('sort=address');
    await page.select('select[name=show]', 'attention');
    await page.lines(1);
    await page.sees('All sites 1 of 2');
    await page.select('select[name=show]', 'all');
    await page.lines(2);
    await page.press('j');
    await page.present('.line.focused');
    await page.press('/');
    await page.type('.search input', 'basket');
    await page.lines(1);
  });

  it('shows a wall for a screen in a corridor, without anything to press', async () => {
    await page.go('/console?view=wall');
    await page.sees('need');
    await page.present('.wall-failing li');
    expect(await page.evaluate("document.querySelectorAll('button, input, a').length")).toBe(0);
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it.each(['Pacific/Auckland', 'Pacific/Honolulu'])(
    'writes instants in the zone of a reader in %s, and the same for all in UTC',
    async (zone) => {
      const { events } = (await admin.api.get(`/project/${projectId}/history?limit=1&order=asc`)).body as {
        readonly events: readonly { readonly id: string; readonly recordedAt: string }[];
      };
      const [event] = events;
      const at = new Date(event?.recordedAt ?? '');
      const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium' }).format(at);
      await page.inZone(zone);
      await page.go(`/console/projects/${projectId}/events/${event?.id ?? ''}`);
      await page.sees(clock);
      const title = await page.evaluate("document.querySelector('main time').title");
      expect(title).toBe(`${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`);
      await page.choose('Show the console as of this event');
      await page.sees('As it was on');
      // The link is the same for both readers.
      expect(decodeURIComponent(await page.path())).toContain(`at=${new Date(at.getTime() + 1).toISOString()}`);
      await page.go(`/console/projects/${projectId}`);
      // A bar is a UTC day, whatever day it is for the reader.
      const lastDay = "[...document.querySelectorAll('.strip.large title')].at(-1)?.textContent";
      await page.holds(`${lastDay}?.startsWith(new Date().getUTCDate() + ' ') === true`, 'the UTC day as the last bar of the strip');
      await page.inZone('');
    },
  );

  it('counts by the clock of the service where that of the reader is an hour ahead, and says so', async () => {
    const ahead = await ConsolePage.open(service.url, `/console/projects/${projectId}`, { clockAheadMs: 3_600_000 });
    await ahead.sees('The clock of this machine is 60 min ahead of that of the service');
    await ahead.present('.problem-row');
    const [, minutes = '0'] = /For (\d+) min/.exec(await ahead.text()) ?? [];
    expect(Number(minutes)).toBeLessThan(55);
    expect(await ahead.problemsOfForms()).toEqual([]);
    await ahead.close();
  });

  it('changes the settings of a site, and plans maintenance', async () => {
    await page.go(`/console/projects/${projectId}`);
    await page.choose('Change the settings');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.evaluate("document.querySelector('select[name=uptimeEnabled]').value = '30'");
    await page.evaluate("document.querySelector('select[name=uptimeEnabled]').dispatchEvent(new Event('change', { bubbles: true }))");
    await page.type('input[name=tags]', 'shop, Team A');
    await page.choose('Save');
    await page.sees('Uptime every 30 s');
    const changed = { uptimeEnabled: '30', title: 'Basket shop', tags: ['shop', 'Team A'] };
    expect((await admin.api.get(`/project/${projectId}`)).body).toMatchObject(changed);
    await page.sees('Plan maintenance');
    // Before the next frame, in which a person may type already.
    const focused = await page.evaluate(`(async () => {
      [...document.querySelectorAll('button')].find((button) => button.textContent === 'Plan maintenance').click();
      for (let turns = 0; turns < 10; turns++) await null;
      return document.activeElement.name;
    })()`);
    expect(focused).toBe('maintenance-from');
    await page.type('input[name=maintenance-note]', 'new cart');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Plan it');
    await page.sees('new cart');
    expect((await admin.api.get(`/project/${projectId}/maintenance`)).body).toMatchObject([{ note: 'new cart', active: false }]);
  });

  it('shows the sites with a tag alone, and keeps it in the address', async () => {
    await page.choose('Team A');
    await page.sees('All sites 1 of 2');
    expect(await page.path()).toContain('tag=Team+A');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.select('select[name=tag]', '');
    await page.lines(2);
  });

  it('follows changes of other people without a reload', async () => {
    await page.go('/console');
    await page.sees('Basket shop');
    expect((await admin.api.put(`/project/${projectId}`, { title: 'Renamed elsewhere' })).status).toBe(200);
    await page.sees('Renamed elsewhere');
  });

  it('asks to sign in again where it stands when the session has ended, and keeps what was typed', async () => {
    await page.go('/console');
    await page.type('input[name=url]', 'half typed');
    const tokens = (await admin.api.get('/account/tokens')).body as readonly { readonly tid: string; readonly kind: string }[];
    const sessions = tokens.filter(({ kind }) => kind === 'session');
    expect(sessions).toHaveLength(1);
    for (const { tid } of sessions) expect((await admin.api.delete(`/account/tokens/${tid}`)).status).toBe(200);
    await page.choose('Watch it');
    await page.sees('Your session has ended. What you typed is kept.');
    await page.holds("document.activeElement.closest('.sign-in-again') !== null", 'the focus on the sign-in');
    // The page behind cannot be reached, and stays when the window gets the focus again.
    for (let step = 0; step < 8; step++) {
      await page.press('Tab');
      expect(await page.evaluate("document.activeElement.closest('[inert]')")).toBeNull();
    }
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await page.evaluate("document.querySelector('input[name=url]')?.value")).toBe('half typed');
    await page.evaluate("document.querySelector('.sign-in-again input').focus()");
    await page.signIn(ADMIN.email, ADMIN.password);
    await page.absent('.sign-in-again');
    expect(await page.evaluate("document.querySelector('input[name=url]').value")).toBe('half typed');
    await page.holds("document.activeElement.name === 'url'", 'the focus where it was');
  });

  if (isRelease)
    it('says that the service does not answer, and reads on when it does', async () => {
      await page.go(`/console/projects/${projectId}`);
      await page.sees('Renamed elsewhere');
      await page.choose('Plan maintenance');
      await page.type('input[name=maintenance-note]', 'half a note');
      isBroken = false;
      const old = service;
      await old.kill();
      await page.sees('The service does not answer.');
      service = await TestService.start({
        beside: old,
        env: { RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8', PORT: new URL(old.url).port },
      });
      await page.absent('.disconnected');
      await page.sees('Renamed elsewhere');
      expect(await page.evaluate("document.querySelector('input[name=maintenance-note]').value")).toBe('half a note');
    });

  it('loads within its budget: 90 KB and 3 files for the first page, 60 KB for a further one', () => {
    const folder = resolve(import.meta.dirname, '../../../dist/console');
    const sizeOf = (name: string): number => statSync(join(folder, 'assets', `${name}.gz`)).size;
    const first = new Set([...readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/assets\/([^"]+)"/g)].map(([, name = '']) => name));
    const total = [...first].reduce((sum, name) => sum + sizeOf(name), 0);
    expect(first.size).toBe(3);
    expect(total).toBeLessThan(90_000);
    const others = readdirSync(join(folder, 'assets')).filter((name) => /\.(js|css)$/.test(name) && !first.has(name));
    // Each further page loads some of them: all of them together are an upper bound.
    expect(others.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThan(120_000);
    for (const name of others) expect(sizeOf(name)).toBeLessThan(60_000);
  });
});
