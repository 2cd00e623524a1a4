import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaveChromium } from '../../support/chromium.ts';
import { ConsolePage } from '../../support/console-page.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { PASSWORD, type TestAccount, TestAccounts } from '../../support/test-accounts.ts';

const BODY = '<!doctype html>\n<title>Search</title>\n<h1>12 results</h1>\n<p class="card">Shoes</p>\n';

/** Whether leaving the page would be asked about, in the very frame that says that there is nothing to lose. */
const ASKS_ONCE_NOTHING_HAS_CHANGED = `globalThis.asks = new Promise((done) => {
  new MutationObserver(() => {
    if (document.body.innerText.includes('Nothing has changed.')) done(!dispatchEvent(new Event('beforeunload', { cancelable: true })));
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}); 0`;

let site: Site;
let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let page: ConsolePage;
let projectId: string;
let testId: string;

beforeAll(async () => {
  site = await startHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(BODY);
  });
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  projectId = await people.project(owner, site.url);
  // Its check runs when a test starts it.
  await owner.api.put(`/project/${projectId}`, { period: false });
  page = await ConsolePage.open(service.url, `/console/projects/${projectId}`);
  await page.signIn(owner.email, PASSWORD);
});
afterAll(async () => {
  expect(page.errors).toEqual([]);
  await page.close();
  await leaveChromium();
  await people.deleteProjects();
  await site.close();
});

const fill = async (selector: string, text: string): Promise<void> => {
  await page.present(selector);
  await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).select()`);
  await page.type(selector, text);
};
const valueOf = (selector: string): Promise<unknown> => page.evaluate(`document.querySelector(${JSON.stringify(selector)}).value`);

describe('the check editor', () => {
  it('tries a new check against the live page while it is typed, and shows where each rule matches', async () => {
    await page.choose('Add a check');
    await page.sees('A new check');
    await fill('input[name=name]', 'Search finds shoes');
    await fill('input[name=url]', '/search');
    await page.choose('Add a rule');
    await fill('.rule-fields:nth-of-type(2) input.mono', 'results');
    await page.sees('Found in line 3, bytes');
    expect(await page.evaluate("document.querySelector('.source mark.passed').textContent")).toContain('results');
    await fill('.rule-fields:nth-of-type(2) input.mono', 'trousers');
    await page.sees('Expected the text to contain "trousers"');
    expect(await page.problemsOfForms()).toEqual([]);
    expect((await owner.api.get(`/project/${projectId}/tests`)).body).toEqual([]);
  });

  it('saves it, and says what saving changes', async () => {
    await fill('.rule-fields:nth-of-type(2) input.mono', 'results');
    await page.sees('Found in line 3');
    await page.choose('Save');
    await page.sees('Nothing has changed.');
    testId = /checks\/([0-9a-f]{24})/.exec(await page.path())?.[1] ?? '';
    await fill('input[name=name]', 'Search');
    await page.sees('Saving renames it to “Search”.');
    await page.choose('Save');
    await page.sees('Saved.');
    expect((await owner.api.get(`/test/${testId}`)).body).toMatchObject({
      name: 'Search',
      rules: [{ type: 'status' }, { type: 'text', val: 'results' }],
    });
  });

  it('moves it to a group with rules of its own, which are tried with it', async () => {
    await page.go(`/console/projects/${projectId}/groups/new`);
    await page.type('input[name=group-name]', 'Catalogue');
    await page.choose('Add a rule');
    await fill('.rule-fields input.mono', 'Shoes');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Save');
    await page.holds('/groups\\/[0-9a-f]{24}/.test(location.pathname)', 'the saved group');
    await page.sees('None yet: choose the group in a check.');
    const groupId = /groups\/([0-9a-f]{24})/.exec(await page.path())?.[1] ?? '';
    await page.go(`/console/projects/${projectId}/checks/${testId}`);
    await page.select('select[name=group]', groupId);
    await page.sees('Saving moves it to another group.');
    await page.sees('Rules of the group');
    await page.choose('Save');
    await page.sees('Saved.');
    expect((await owner.api.get(`/test/${testId}`)).body).toMatchObject({ areaId: groupId });
  });

  it('asks for the page by another request, and keeps what was typed over the back button', async () => {
    await page.evaluate("document.querySelector('details summary').click()");
    await page.select('select[name=method]', 'POST');
    await page.type('textarea[name=body]', '{"query":"shoes"}');
    await page.sees('Saving changes how the page is asked for.');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.evaluate('document.querySelector(".shown-project").click()');
    await page.sees('What happened last');
    await page.evaluate('history.back()');
    await page.sees('What you typed before is here again.');
    expect(await valueOf('textarea[name=body]')).toBe('{"query":"shoes"}');
    await page.choose('Save');
    await page.sees('Saved.');
    expect((await owner.api.get(`/test/${testId}`)).body).toMatchObject({ options: { method: 'POST', body: '********' } });
  });

  it('shows a second person what changed meanwhile, and loses nothing', async () => {
    expect((await owner.api.patch(`/test/${testId}`, { name: 'Renamed by another' })).status).toBe(200);
    await fill('input[name=name]', 'Mine');
    await page.choose('Save');
    await page.sees('The check was changed meanwhile.');
    await page.sees('Renamed by another');
    expect(await valueOf('input[name=name]')).toBe('Mine');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Save mine over it');
    await page.sees('Saved.');
    expect((await owner.api.get(`/test/${testId}`)).body.name).toBe('Mine');
  });

  it('judges kept pages by the edited rules', async () => {
    await owner.api.get(`/project/${projectId}/start?continue=true`);
    await fill('.rule-fields:nth-of-type(2) input.mono', 'trousers');
    await page.choose('Judge kept pages by these rules');
    await page.sees('1 of 1 run was kept and judged again: 1 would differ');
    await page.sees('passed and would fail');
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it('shows the check as it was, read only, in the past', async () => {
    await page.evaluate(ASKS_ONCE_NOTHING_HAS_CHANGED);
    await fill('.rule-fields:nth-of-type(2) input.mono', 'results');
    expect(await page.evaluate('globalThis.asks')).toBe(false);
    const [first] = (await owner.api.get(`/project/${projectId}/history?order=asc&type=CheckRenamed`)).body.events as readonly {
      recordedAt: string;
    }[];
    await page.go(`/console/projects/${projectId}/checks/${testId}?at=${encodeURIComponent(first?.recordedAt ?? '')}`);
    await page.sees('nothing can be changed here');
    await page.absent('button.primary');
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it('is deleted by its name, once', async () => {
    await page.go(`/console/projects/${projectId}/checks/${testId}`);
    await page.choose('Delete the check “Mine”');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Delete it');
    await page.sees('What happened last');
    expect((await owner.api.get(`/test/${testId}`)).status).toBe(403);
  });
});
