import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WatchledgerClient } from '../../../src/client.ts';
import { verified } from '../../../src/client-verify.ts';
import { leaveChromium } from '../../support/chromium.ts';
import { ConsolePage } from '../../support/console-page.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { PASSWORD, type TestAccount, TestAccounts } from '../../support/test-accounts.ts';

let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let page: ConsolePage;
let projectId: string;
let before: string;

beforeAll(async () => {
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  projectId = await people.project(owner);
  before = new Date().toISOString();
  await owner.api.put(`/project/${projectId}`, { title: 'Shop' });
  page = await ConsolePage.open(service.url, '/console/proof');
  await page.signIn(owner.email, PASSWORD);
});
afterAll(async () => {
  expect(page.errors).toEqual([]);
  await page.close();
  await leaveChromium();
  await people.deleteProjects();
});

const choose = (name: string, text: string): Promise<unknown> =>
  page.evaluate(`{
    const chosen = new DataTransfer();
    chosen.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    const field = document.querySelector('input[type=file]');
    field.files = chosen.files;
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }`);

describe('the proof page', () => {
  it('verifies the signature of the last checkpoint in the browser', async () => {
    await page.sees('events are sealed.');
    await page.sees('The signature of the last checkpoint was verified in this browser.');
    expect(await page.text()).toContain((await owner.api.get('/ledger/key')).text.trim());
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it('computes a statement again, and names what was edited in one', async () => {
    const month = new Date().toISOString().slice(0, 7);
    await page.sees(new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date()));
    const address = `/api/project/${projectId}/statement?month=${month}&format=json`;
    expect(await page.evaluate(`document.querySelector('a[download]').getAttribute('href')`)).toBe(address);
    const statement = String(await page.evaluate(`fetch(${JSON.stringify(address)}).then((answer) => answer.text())`));
    await choose('statement.json', statement);
    await page.sees('statement.json holds.');
    await page.sees('Every figure was computed again');
    await page.sees('signed by the same key');
    await choose('edited.json', statement.replace(/"downMs":0/, '"downMs":1'));
    await page.sees('edited.json does not hold:');
    await choose('other.json', '{"format":"other"}');
    await page.sees('other.json does not hold: the file is not a statement');
    expect(await page.problemsOfForms()).toEqual([]);
  });
});

describe('files that somebody handed over', () => {
  const textOf = (path: string): Promise<string> =>
    page.evaluate(`fetch(${JSON.stringify(`/api${path}`)}).then((answer) => answer.text())`).then(String);

  it('are verified as exports: whole, and with a line less', async () => {
    await page.go('/console/proof');
    await page.sees('an export of Shop');
    const exported = await textOf(`/project/${projectId}/history/export`);
    await choose('history.jsonl', exported);
    await page.sees('history.jsonl holds.');
    await page.sees('each stream without a gap');
    expect(await page.problemsOfForms()).toEqual([]);
    const lines = exported.split('\n');
    await choose('shorter.jsonl', [...lines.slice(0, 2), ...lines.slice(3)].join('\n'));
    await page.sees('shorter.jsonl does not hold:');
  });

  it('are verified as proofs of events and as receipts, by the keys that the person trusts', async () => {
    const { events } = (await owner.api.get(`/project/${projectId}/history?type=ProjectRenamed`)).body as {
      readonly events: readonly { id: string }[];
    };
    const proof = await textOf(`/project/${projectId}/history/${events[0]?.id ?? ''}/proof`);
    await choose('proof.json', proof);
    await page.sees('proof.json holds.');
    const key = (await owner.api.get('/ledger/key')).text.trim();
    const client = new WatchledgerClient({ baseUrl: service.url, token: owner.api.token ?? '' });
    const { receipt } = await verified(client, { keys: [key] }).get('/project/{id}', { path: { id: projectId } });
    await choose('receipt.json', receipt);
    await page.sees('receipt.json holds.');
    await page.evaluate("document.querySelector('textarea[name=trusted-keys]').select()");
    await page.type('textarea[name=trusted-keys]', 'other.example/log+00000000+AQ==');
    await choose('again.json', proof);
    await page.sees('again.json does not hold: the checkpoint is not signed by a given key');
  });
});

describe('the comparison', () => {
  it('shows two instants side by side, with the events that lie between', async () => {
    await page.go(`/console/projects/${projectId}?at=${encodeURIComponent(before)}`);
    await page.choose('Compare with now');
    await page.sees('thing');
    await page.sees('Shop');
    await page.sees('example.com');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.evaluate(`document.querySelector('.compared a[href*="/events/"]').click()`);
    await page.sees('Title changed from "example.com" to "Shop"');
  });
});
