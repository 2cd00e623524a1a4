import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { SHARED_CORS_ORIGIN as BOARD, sharedService } from '../../support/shared-service.ts';

let service: TestService;
/** Allows no origin and trusts no proxy. */
let closed: TestService;
let people: TestAccounts;
let owner: TestAccount;
let projectId: string;
beforeAll(async () => {
  service = await sharedService();
  closed = await TestService.start({ env: { REGISTRATION: 'open' } });
  people = new TestAccounts(service);
  owner = await people.register();
  projectId = await people.project(owner);
});
afterAll(async () => {
  await people.deleteProjects();
  await closed.stop();
});

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', at = service): Promise<Response> =>
  fetch(`${at.url}${path}`, { method, headers, redirect: 'manual' });
const mine = (): Record<string, string> => ({ authorization: `Bearer ${owner.api.token ?? ''}` });

/** What a connection answers to these words until it is closed. */
const heard = (words: string): Promise<string> =>
  new Promise((hear, failed) => {
    const { hostname, port } = new URL(service.url);
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(words));
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => {
      hear(text);
    });
    socket.on('error', failed);
  });

/** Malformed HTTP is answered before the framework sees it. */
const broken = (): Promise<string> => heard('NONSENSE\r\n\r\n');

describe('every answer', () => {
  const paths = (): readonly string[] => [
    '/api/account',
    `/api/project/${projectId}`,
    `/api/project/${projectId}/history?format=csv`,
    `/api/project/${projectId}/history/export`,
    '/api/project/x',
    '/api/nowhere',
    '/nowhere',
    '/api/%ff',
    '/health/ready',
    '/metrics',
    '/docs/',
    '/api/ledger/key',
  ];

  it('forbids sniffing and framing and sends no referrer', async () => {
    for (const path of paths()) {
      for (const headers of [mine(), {}]) {
        const { headers: said } = await ask(path, headers);
        const shown = ['x-content-type-options', 'x-frame-options', 'referrer-policy'].map((name) => said.get(name));
        expect([path, ...shown]).toEqual([path, 'nosniff', 'DENY', 'no-referrer']);
        expect([path, said.get('content-security-policy')]).toEqual([path, expect.stringMatching(/^default-src 'none'/)]);
      }
    }
    expect((await broken()).toLowerCase()).toMatch(/^http\/1.1 400 [^]*x-content-type-options: nosniff/);
  });

  it('is not cached when it is private, and sets no cookie that is sent cross-site', async () => {
    for (const path of paths().filter((each) => each.startsWith('/api/') && !each.includes('ledger'))) {
      for (const headers of [mine(), {}]) {
        const { headers: said } = await ask(path, headers);
        expect([path, said.get('cache-control'), said.get('set-cookie')]).toEqual([path, 'no-store', null]);
      }
    }
  });

  it('cannot be loaded as a script (JSONP)', async () => {
    const answer = await ask('/api/account?callback=steal&jsonp=steal', mine());
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(await answer.text()).not.toContain('steal');
  });
});

describe('cross-origin requests', () => {
  const preflight = (origin: string, at: TestService): Promise<Response> =>
    ask(
      '/api/account',
      { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' },
      'OPTIONS',
      at,
    );

  it('are allowed for configured origins, without credentials of the browser', async () => {
    const allowed = await preflight(BOARD, service);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(BOARD);
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await ask('/api/account', { ...mine(), origin: BOARD })).headers.get('access-control-allow-origin')).toBe(BOARD);
  });

  it('are refused for other origins', async () => {
    for (const [origin, at] of [
      ['https://evil.example', service],
      [`${BOARD}.evil.example`, service],
      ['null', service],
      [BOARD, closed],
    ] as const) {
      const answers = [await preflight(origin, at), await ask('/api/account', { ...mine(), origin }, 'GET', at)];
      for (const { headers } of answers) expect(['*', origin]).not.toContain(headers.get('access-control-allow-origin'));
    }
  });
});

describe('a forged client address', () => {
  it('is ignored without a trusted proxy: attempts count for the real address', async () => {
    const { email } = await new TestAccounts(closed).register();
    const guess = (n: number, password: string) =>
      new ApiClient(closed.url)
        .with({
          'x-forwarded-for': `203.0.113.${String(n)}`,
          forwarded: `for=203.0.113.${String(n)}`,
          'x-real-ip': `203.0.113.${String(n)}`,
        })
        .post('/authenticate', { email, password });
    for (let n = 0; n < 10; n++) expect((await guess(n, 'wrong password')).status).toBe(401);
    expect((await guess(99, PASSWORD)).status).toBe(429);
  });
});

describe('account enumeration', () => {
  it('is prevented: a password reset answers alike for known and unknown addresses', async () => {
    const { email } = await people.register();
    const api = new ApiClient(service.url);
    const [known, unknown] = [
      await api.post('/account/password/reset', { email }),
      await api.post('/account/password/reset', { email: 'unknown@example.test' }),
    ];
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
  });
});

describe('a connection', () => {
  it('is closed beyond four unanswered requests, of which no other is answered', async () => {
    const answers = (await heard('HEAD /api/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000))).match(/HTTP\/1\.1 /g) ?? [];
    expect(answers.length).toBeLessThanOrEqual(4);
  });
});
