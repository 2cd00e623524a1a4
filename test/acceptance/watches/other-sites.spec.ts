import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

/** Secrets of a project that its members try to have sent to a site of their own. */
let service: TestService;
let people: TestAccounts;
let site: Site;
let stranger: Site;
let owner: TestAccount;
let developer: TestAccount;
let guest: TestAccount;
let projectId: string;
let areaId: string;
let testId: string;
let stolen: { readonly method: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
let received: IncomingHttpHeaders[] = [];

const FORM = '<form id="login" method="post" action="/session"><input name="user"><input name="pass"></form>';
const SECRETS = /AREA-KEY|TEST-KEY|FORM-SECRET|BODY-SECRET/;

beforeAll(async () => {
  stranger = await startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      stolen.push({ method: request.method ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(FORM);
    });
  });
  site = await startHttp((request, response) => {
    received.push(request.headers);
    request.resume();
    if (request.url?.startsWith('/go') === true) return void response.writeHead(302, { Location: `${stranger.url}/signin` }).end();
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(FORM);
  });
  service = await sharedService();
  people = new TestAccounts(service);
  [owner, developer, guest] = await Promise.all([people.register('owner'), people.register('developer'), people.register('guest')]);
  projectId = (await owner.api.post('/project/create', { url: site.url, checkInterval: 'false' })).body.id as string;
  await owner.api.put(`/project/${projectId}`, { uptimeEnabled: false, httpsRedirectEnabled: false, delay: 0 });
  await people.join(projectId, owner, developer, '5');
  await people.join(projectId, owner, guest, '6');
  const form = { identifier: 'login', enabled: true, method: 'POST', baseUrl: `${site.url}/signin`, params: 'user=bob&pass=FORM-SECRET' };
  const area = await owner.api.post(`/project/${projectId}/areas`, { name: 'Shop', form, options: { w: 'X-Api-Key: AREA-KEY' } });
  areaId = area.body.id as string;
  const test = await owner.api.post(`/project/${projectId}/tests`, {
    areaId,
    url: '/',
    name: 'A',
    options: { w: 'Authorization: TEST-KEY' },
  });
  testId = test.body.id as string;
});
afterAll(async () => {
  await people.deleteProjects();
  await Promise.all([site.close(), stranger.close()]);
});
beforeEach(() => {
  stolen = [];
  received = [];
});

const everythingStolen = (): string => JSON.stringify(stolen);

describe('a member of the project', () => {
  it.each(['owner', 'developer', 'guest'] as const)('who is its %s reads the names of extra headers, and no value', async (who) => {
    const { api } = { owner, developer, guest }[who];
    const [area, test] = [await api.get(`/area/${areaId}`), await api.get(`/test/${testId}`)];
    expect([area.body.options.w, test.body.options.w]).toEqual(['X-Api-Key: ********', 'Authorization: ********']);
    const texts = [area, test, await api.get(`/project/${projectId}/history`), await api.get(`/project/${projectId}/areas`)];
    expect(texts.map(({ text }) => text).join('\n')).not.toMatch(SECRETS);
  });

  it('has them sent to the site of the project', async () => {
    const sent = await developer.api.post(`/project/${projectId}/try`, { areaId, url: '/' });
    expect([sent.status, SECRETS.exec(sent.text)]).toEqual([200, null]);
    // The service also looks at the homepage, without them.
    expect(received.flatMap((headers) => headers['x-api-key'] ?? [])).toEqual(['AREA-KEY', 'AREA-KEY', 'AREA-KEY']);
  });

  it('cannot have the headers sent to a site of their own', async () => {
    expect((await developer.api.post(`/project/${projectId}/try`, { areaId, url: `${stranger.url}/` })).status).toBe(200);
    const moved = await developer.api.put(`/test/${testId}`, { url: `${stranger.url}/` });
    expect([moved.status, moved.body.message]).toEqual([400, expect.stringMatching(/options\.w: must be given again/)]);
    const masked = await developer.api.put(`/test/${testId}`, { url: `${stranger.url}/`, options: { w: 'Authorization: ********' } });
    expect(masked.status).toBe(400);
    expect((await developer.api.post(`/project/${projectId}/try`, { areaId, url: '/go' })).status).toBe(200);
    expect(stolen.length).toBe(2);
    expect(everythingStolen()).not.toMatch(SECRETS);
  });

  it('cannot have the body of a request sent to a site of their own', async () => {
    const options = { method: 'POST', body: 'BODY-SECRET' };
    const { id } = (await owner.api.post(`/project/${projectId}/tests`, { url: '/', name: 'B', options })).body;
    const shown = [await developer.api.get(`/test/${id as string}`), await developer.api.get(`/project/${projectId}/history`)];
    expect(shown.map(({ text }) => text).join('\n')).not.toMatch(SECRETS);
    for (const change of [{}, { options: { body: '********' } }, { options: { method: 'PUT' } }]) {
      const moved = await developer.api.put(`/test/${id as string}`, { url: `${stranger.url}/`, ...change });
      expect([moved.status, moved.body.message]).toEqual([400, expect.stringMatching(/options\.body: must be given again/)]);
    }
    expect((await developer.api.delete(`/test/${id as string}`)).status).toBe(200);
    expect(everythingStolen()).not.toMatch(SECRETS);
  });

  it('cannot have the form submitted behind a redirect of the saved site', async () => {
    const baseUrl = `${site.url}/go?to=${stranger.url}`;
    expect((await developer.api.put(`/area/${areaId}`, { form: { baseUrl } })).status).toBe(200);
    const result = await developer.api.post(`/project/${projectId}/try`, { areaId, url: '/' });
    expect(result.body.failures).toEqual([expect.stringMatching(/leads to .+, and nothing was sent there/)]);
    for (const action of [`${stranger.url}/session`, stranger.url.replace('http:', '')])
      expect((await developer.api.put(`/area/${areaId}`, { form: { action } })).status).toBe(400);
    expect(stolen.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(everythingStolen()).not.toMatch(SECRETS);
  });
});

it('patterns that take seconds to compile are refused without stopping the service', async () => {
  const rules = Array.from({ length: 23 }, () => ({ type: 'html', op: 'regex', val: `(?i)${'[B-\u{1E000}]'.repeat(115)}` }));
  const waits: number[] = [];
  let done = false;
  const looking = (async () => {
    while (!done) {
      const began = performance.now();
      await fetch(`${service.url}/health/live`);
      waits.push(performance.now() - began);
    }
  })();
  for (const op of ['regex', '!regex'] as const) {
    const refused = await developer.api.post(`/project/${projectId}/tests`, { url: '/', rules: rules.map((rule) => ({ ...rule, op })) });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/rule 1 .+ \(\?i\)/)]);
  }
  done = true;
  await looking;
  // On the shared thread they took 16 s.
  expect(Math.max(...waits)).toBeLessThan(8_000);
});
