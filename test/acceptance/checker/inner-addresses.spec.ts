import { createECDH, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, ApiClient, Json } from '../../support/api-client.ts';
import { innerUrls } from '../../support/inner-addresses.ts';
import { refusalsOf } from '../../support/refusals.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { type Canary, startCanary } from '../../support/servers/canary.ts';
import { TestService } from '../../support/service.ts';
import { thorough } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';

let canary: Canary;
let service: TestService;
let api: ApiClient;
let urls: readonly string[];
let projectId: string;
let areaId: string;
let testId: string;

beforeAll(async () => {
  canary = await startCanary();
  urls = innerUrls(canary.port);
  service = await TestService.start({ env: { REGISTRATION: 'open', RATE_LIMIT: '0' } });
  ({ api } = await new TestAccounts(service).admin());
  projectId = (await api.post('/project/create', { url: 'https://example.com', checkInterval: 'false' })).body.id as string;
  await api.put(`/project/${projectId}`, { uptimeEnabled: false });
  areaId = (await api.post(`/project/${projectId}/areas`, { name: 'Inside' })).body.id as string;
  testId = (await api.post(`/project/${projectId}/tests`, { areaId, url: '/', name: 'Inside' })).body.id as string;
});
afterAll(async () => {
  await service.stop();
  await canary.close();
});

const browser = createECDH('prime256v1');
browser.generateKeys();
const subscription = (endpoint: string): Json => ({
  endpoint,
  keys: { p256dh: browser.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
});
const form = (url: string): Json => ({ identifier: 'login', enabled: true, method: 'POST', baseUrl: url, params: 'user=a&pw=b' });

/** Every operation that accepts an address, with the request that uses it at once. */
const places: Readonly<Record<string, { take: (url: string) => Promise<Answer>; use?: () => Promise<Answer> }>> = {
  'a new project': { take: (url) => api.post('/project/create', { url, addPresetChecks: true }) },
  'the url of a project': { take: (url) => api.put(`/project/${projectId}`, { url }), use: () => run() },
  'the uptime url': { take: (url) => api.put(`/project/${projectId}`, { uptimeUrl: url }) },
  'a new test': { take: (url) => api.post(`/project/${projectId}/tests`, { areaId, url }), use: () => run() },
  'the url of a test': { take: (url) => api.put(`/test/${testId}`, { url }), use: () => run() },
  'the sign-in of a group': {
    take: (url) => api.put(`/area/${areaId}`, { httpAuth: { user: 'u', password: 'p', url } }),
    use: () => run(),
  },
  'the form of a group': { take: (url) => api.put(`/area/${areaId}`, { form: form(url) }), use: () => run() },
  'a trial': { take: (url) => api.post(`/project/${projectId}/try`, { url }) },
  slack: { take: (url) => api.put('/account/channels/slack', { url }), use: () => api.post('/account/channels/slack/test') },
  webhook: { take: (url) => api.put('/account/channels/webhook', { url }), use: () => api.post('/account/channels/webhook/test') },
  'web push': {
    take: (url) => api.put('/account/channels/webPush', { subscription: subscription(url) }),
    use: () => api.post('/account/channels/webPush/test'),
  },
};

const run = (): Promise<Answer> => api.get(`/project/${projectId}/start?keep-alive=true&tests=${testId}`);

describe('internal addresses (SSRF guard)', () => {
  it.each(Object.entries(places))('is refused or never connected to in %s', async (place, { take, use }) => {
    // Daily each place gets another tenth.
    const nth = Object.keys(places).indexOf(place);
    for (const url of urls.filter((_, index) => thorough(true, index % 10 === nth % 10))) {
      const answer = await take(url);
      expect([url, answer.status < 500]).toEqual([url, true]);
      if (answer.status === 200 && use !== undefined) expect((await use()).status).toBe(200);
    }
    expect(canary.visits).toEqual([]);
  });

  it('are counted by the purpose of the connection', async () => {
    for (const limit of ['targets', 'hooks'] as const)
      await until(async () => (await refusalsOf(service, limit)) > 0, 5_000, `refusals of ${limit}`);
  });
});
