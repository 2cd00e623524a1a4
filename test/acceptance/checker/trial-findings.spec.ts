import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { type TestAccount, TestAccounts } from '../../support/test-accounts.ts';

const BODY = '<title>Shop</title>\n<p>Willkommen im Größenladen</p>\n<i id="token">t0ken</i>';
const BYTES = Buffer.from(BODY);

let service: TestService;
let people: TestAccounts;
let site: Site;
let owner: TestAccount;
let projectId: string;

beforeAll(async () => {
  site = await startHttp((_, response) => response.setHeader('Content-Type', 'text/html; charset=utf-8').end(BODY));
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  projectId = await people.project(owner, site.url);
});
afterAll(async () => {
  await people.deleteProjects();
  await site.close();
});

const rules = [
  { type: 'text', op: 'sub', val: 'Größen' },
  { type: 'title', op: 'eq', val: 'Market' },
];
const tryIt = (more: object, api = owner.api) => api.post(`/project/${projectId}/try`, { url: '/', rules, ...more });

describe('a trial', () => {
  it('answers as before without a wish for the page', async () => {
    const { status, body } = await tryIt({});
    expect([status, body.status, 'findings' in body]).toEqual([200, 'error', false]);
  });

  it('answers where each rule matched in bytes, what a failed one was compared with, and the page', async () => {
    const { body } = await tryIt({ page: true });
    const { rules: judged, page } = body.findings as {
      readonly rules: readonly { bytes: { from: number; to: number } }[];
      readonly page: string;
    };
    expect(page).toBe(BODY);
    expect(judged).toMatchObject([
      { type: 'text', result: 'passed' },
      { type: 'title', result: 'failed', sentence: expect.stringContaining('Market') },
    ]);
    const [text = '', title = ''] = judged.map(({ bytes: { from, to } }) => BYTES.subarray(from, to).toString());
    expect([text, title]).toEqual(['Größen', 'Shop']);
  });

  it('shows no page that may hold a secret which the test extracts', async () => {
    const { body } = await tryIt({ page: true, options: { extract: [{ name: 'token', from: 'pattern:id="token">(\\w+)' }] } });
    expect(body.findings.page).toBeNull();
    expect(JSON.stringify(body)).not.toContain('t0ken');
  });

  it('asks a narrowed token for the scope `evidence`', async () => {
    const { token } = (await owner.api.post('/account/tokens', { name: 'tries', scopes: ['editTests', 'read'] })).body as { token: string };
    const narrowed = owner.api.with({ authorization: `Bearer ${token}` });
    expect((await tryIt({}, narrowed)).status).toBe(200);
    expect((await tryIt({ page: true }, narrowed)).body).toMatchObject({ code: 403, scope: 'evidence' });
  });
});
