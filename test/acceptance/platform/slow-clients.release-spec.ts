import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { startHttp, type Site } from '../../support/servers/site.ts';
import { until } from '../../support/until.ts';

const UNFINISHED = 20;
const REQUEST_TIMEOUT = 4;

let service: TestService;
let site: Site;
let port: number;
let api: ApiClient;
let projectId: string;
beforeAll(async () => {
  port = await freePort();
  // A page that takes longer than the time in which a request must be complete.
  site = await startHttp((_, response) => void setTimeout(() => response.end('<title>Slow</title>'), (REQUEST_TIMEOUT + 2) * 1000));
  service = await TestService.start({
    env: {
      PORT: String(port),
      PUBLIC_URL: 'https://watch.example',
      REQUEST_TIMEOUT: String(REQUEST_TIMEOUT),
      MAX_UNFINISHED_REQUESTS: String(UNFINISHED),
      ALLOW_TARGETS: '127.0.0.0/8',
    },
  });
  api = await new ApiClient(`http://127.0.0.1:${String(port)}`).signIn(ADMIN.email, ADMIN.password);
  projectId = (await api.post('/project/create', { url: site.url, checkInterval: 'false' })).body.id as string;
  await api.post(`/project/${projectId}/tests`, { url: '/' });
});
afterAll(async () => {
  await service.stop();
  await site.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return free;
}

/** Sends words and collects what comes back. */
function send(words: string): { readonly received: () => string; readonly isClosed: () => boolean } {
  let [received, closed] = ['', false];
  const socket = connect(port, '127.0.0.1', () => socket.write(words));
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('close', () => (closed = true));
  socket.on('error', () => undefined);
  return { received: () => received, isClosed: () => closed };
}
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );
};
const every = (holds: () => boolean, what: string): Promise<void> => until(() => Promise.resolve(holds()), 10_000, what);

it('closes connections whose bodies never end, and refuses many of one client, while long answers go on', async () => {
  const authorization = `Bearer ${api.token ?? ''}`;
  const live = new AbortController();
  const stream = await fetch(`http://127.0.0.1:${String(port)}/api/project/${projectId}/live`, {
    headers: { authorization },
    signal: live.signal,
  });
  const reader = stream.body?.getReader();
  const job = api.get(`/project/${projectId}/start?keep-alive=true`);
  const begun = Array.from({ length: 3 * UNFINISHED }, () =>
    send('POST /api/authenticate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 16000\r\n\r\n{"email":"'),
  );
  await every(() => begun.filter(({ received }) => received().startsWith('HTTP/1.1 429 ')).length === 2 * UNFINISHED, 'the refusals');
  expect(begun.find(({ received }) => received() !== '')?.received()).toContain('still being sent');
  expect(await metric('watchledger_unfinished_requests')).toBe(UNFINISHED);
  expect(await metric('watchledger_clients_refused_total{limit="unfinished_requests"}')).toBe(2 * UNFINISHED);
  await every(() => begun.every(({ isClosed }) => isClosed()), 'the end of all connections');
  expect(begun.filter(({ received }) => received().startsWith('HTTP/1.1 408 '))).toHaveLength(UNFINISHED);
  // The page of metrics is kept for a second.
  await until(async () => (await metric('watchledger_unfinished_requests')) === 0, 5_000, 'that none is unfinished');
  // Both began before, and neither has sent or received anything since.
  const { body, status } = await job;
  expect([status, body.start]).toEqual([200, 'ok']);
  expect((await api.get(`/project/${projectId}/job/${String(body.jobId)}/results`)).body.processed).toBe(true);
  expect((await reader?.read())?.done).toBe(false);
  live.abort();
});

it('refuses two Host lines', async () => {
  const two = send('GET /health/live HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\n\r\n');
  await every(() => two.received().includes('\r\n\r\n{'), 'an answer');
  expect(two.received()).toMatch(/^HTTP\/1.1 400 [^]*"Host: must be sent once"/);
});

it('asks for HTTPS where the public URL has it, also when the request is broken or cannot be routed', async () => {
  for (const words of ['GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n', 'GET /api/%ff HTTP/1.1\r\nHost: x\r\n\r\n', 'NONSENSE\r\n\r\n']) {
    const answer = send(words);
    await every(() => answer.received().includes('\r\n\r\n'), 'an answer');
    expect(answer.received().toLowerCase()).toContain('strict-transport-security: max-age=31536000\r\n');
  }
});
