import { readFileSync } from 'node:fs';
import { createServer, request as ask, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Schemas, WatchledgerClient } from 'watchledger/client';
import { NotVerified, verified } from 'watchledger/client/verify';
import { type ChromiumPage, leaveChromium, openPage } from '../../support/chromium.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { SeveringProxy } from '../../support/severing-proxy.ts';
import { until } from '../../support/until.ts';

/** The client over the running service (docs/spec/beyond.md#B27). */
let service: TestService;
let proxy: SeveringProxy;
let client: WatchledgerClient;
let projectId: string;

const DIST = join(import.meta.dirname, '../../../dist');
const portOf = (url: string): number => Number(new URL(url).port);
const refusalOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

async function createProject(title: string): Promise<string> {
  const { data } = await client.post('/project/create', { body: { url: 'http://127.0.0.1:8099', title, checkInterval: 'false' } });
  await client.patch('/project/{id}', { path: { id: data.id }, body: { uptimeEnabled: 'false' } });
  return data.id;
}
const rename = (title: string, id = projectId) => client.patch('/project/{id}', { path: { id }, body: { title } });
const titlesOf = async (id = projectId): Promise<readonly unknown[]> => {
  const events: Schemas['Event'][] = [];
  for await (const event of client.follow('/project/{id}/history', { path: { id }, type: 'ProjectRenamed', untilHead: true }))
    events.push(event);
  return events.map(({ data }) => data['to']);
};

beforeAll(async () => {
  service = await TestService.start({ env: { ALLOW_TARGETS: '127.0.0.0/8' } });
  proxy = await SeveringProxy.before(portOf(service.url));
  const anonymous = new WatchledgerClient({ baseUrl: `http://127.0.0.1:${String(proxy.address.port)}`, attempts: 20 });
  const { data } = await anonymous.post('/authenticate', { body: ADMIN });
  client = anonymous.with({ token: data.token });
  projectId = await createProject('Shop');
});

afterAll(async () => {
  await leaveChromium();
  await proxy.close();
  await service.stop();
});

describe('the client over a service that fails in between', () => {
  it('handles each event of a subscription in order, although answers are lost, and retries what failed', async () => {
    const id = await createProject('Subscribed');
    const body = { filter: { types: ['ProjectRenamed'], scopes: [`project-${id}`] }, ackSeconds: 1 };
    await client.put('/subscriptions/{name}', { path: { name: 'titles' }, body });
    for (const title of ['one', 'two', 'three']) await rename(title, id);
    const handled: unknown[] = [];
    let refused = false;
    for await (const delivery of client.subscribe('titles', { waitSeconds: 5 })) {
      if (!refused) {
        refused = true;
        await delivery.retry();
        proxy.loseNextReply();
        continue;
      }
      handled.push(delivery.event.data['to']);
      if (handled.length === 3) break;
    }
    expect(handled).toEqual(['one', 'two', 'three']);
  });

  it('executes a write once whose answer was lost', async () => {
    proxy.loseNextReply();
    await rename('Lost answer');
    expect((await titlesOf()).filter((title) => title === 'Lost answer')).toHaveLength(1);
  });

  it('continues reads, writes, a feed and a live stream over a crash of the service', async () => {
    const follows = new AbortController();
    const [heard, handled]: [string[], string[]] = [[], []];
    const feed = client.follow('/events', { type: 'ProjectRenamed', after: 'now', waitSeconds: 5, signal: follows.signal });
    const following = refusalOf(
      (async () => {
        for await (const event of feed) handled.push(String(event.data['to']));
      })(),
    );
    const states: string[] = [];
    const listening = refusalOf(
      (async () => {
        const live = client.live(projectId, { signal: follows.signal, onConnection: (state) => states.push(state) });
        for await (const message of live) heard.push(message.type);
      })(),
    );
    await until(() => Promise.resolve(feed.position !== undefined || states.includes('open')), 10_000, 'the streams');
    await until(
      async () => {
        await rename(`Before ${String(Math.random())}`);
        return handled.length > 0;
      },
      10_000,
      'the feed',
    );
    const port = portOf(service.url);
    await service.kill();
    const written = Promise.all([rename('While it is down'), client.get('/projects')]);
    service = await TestService.start({ beside: service, env: { PORT: String(port), ALLOW_TARGETS: '127.0.0.0/8' } });
    await expect(written).resolves.toHaveLength(2);
    await rename('After the restart');
    await until(() => Promise.resolve(handled.includes('After the restart') && states.length >= 3), 20_000, 'both streams again');
    expect(handled).toEqual((await titlesOf()).slice(-handled.length));
    expect(states.slice(0, 3)).toEqual(['open', 'lost', 'open']);
    follows.abort(new Error('enough'));
    expect([await following, await listening]).toEqual([new Error('enough'), new Error('enough')]);
  });

  it('resumes a feed exactly where its reader stopped', async () => {
    const read = async (
      after: string | undefined,
      most: number,
    ): Promise<{ readonly position: string | undefined; readonly ids: string[] }> => {
      const feed = client.follow('/project/{id}/history', {
        path: { id: projectId },
        untilHead: true,
        limit: 2,
        ...(after !== undefined && { after }),
      });
      const ids: string[] = [];
      for await (const { id } of feed) {
        // The event that it stops at was not handled.
        if (ids.length === most) break;
        ids.push(id);
      }
      return { position: feed.position, ids };
    };
    const whole = await read(undefined, Infinity);
    const first = await read(undefined, 3);
    const rest = await read(first.position, Infinity);
    expect(first.ids).toHaveLength(3);
    expect([...first.ids, ...rest.ids]).toEqual(whole.ids);
  });

  it('reads each item of a list once that changes between its pages', async () => {
    const ids = [];
    for (let at = 0; at < 5; at++) ids.push(await createProject(`Page ${String(at)}`));
    const reader = client.list('/projects', { query: { limit: 2, search: 'Page', sort: 'title' } });
    const seen: string[] = [];
    for await (const { id } of reader) {
      seen.push(id);
      if (seen.length === 2) {
        await client.delete('/project/{id}', { path: { id: ids[0] ?? '' } });
        await createProject('Page 0 again');
      }
    }
    expect(seen).toEqual(ids);
    expect(reader.isAtEnd).toBe(true);
  });
});

describe('conditions', () => {
  it('refuse a write over a change that was not read, and say what was changed', async () => {
    const path = { id: projectId };
    const read = await client.get('/project/{id}', { path });
    await rename('Changed by another');
    const error = await refusalOf(client.patch('/project/{id}', { path, body: { title: 'Mine' }, ifMatch: read }));
    expect(error).toMatchObject({ errorCode: 'PRECONDITION_FAILED', param: 'If-Match', body: { changes: [{ type: 'ProjectRenamed' }] } });
    const again = await client.get('/project/{id}', { path, previous: read });
    expect(again).toMatchObject({ isUnchanged: false, data: { title: 'Changed by another' } });
    expect(await client.get('/project/{id}', { path, previous: again })).toMatchObject({ isUnchanged: true, data: again.data });
    await client.patch('/project/{id}', { path, body: { title: 'Mine' }, ifMatch: again });
  });

  it('state errors by code, with what is accepted', async () => {
    const error = await refusalOf(client.list('/projects', { query: { limit: 100_000 } }).all());
    expect(error).toMatchObject({ errorCode: 'INVALID_INPUT', param: 'limit', allowed: { minimum: 1, maximum: 1000 } });
    expect((error as { requestId: string }).requestId).not.toBe('');
  });
});

describe('verified reads', () => {
  it('accept what the seal signed, and nothing that was changed, repeated or signed by another key', async () => {
    const keys = (await client.get('/ledger/key')).data.trim().split('\n');
    const path = { id: projectId };
    const reads = verified(client, { keys });
    const answer = await reads.get('/project/{id}', { path });
    expect(answer.data).toEqual((await client.get('/project/{id}', { path })).data);
    expect([answer.statement.statementOf, answer.signedBy]).toEqual(['service', keys]);
    const tampering =
      (change: (answer: Response, body: string) => Response): typeof fetch =>
      async (url, init) => {
        const given = await fetch(url, init);
        const changed = change(given, await given.text());
        Object.defineProperty(changed, 'url', { value: given.url });
        return changed;
      };
    const readThrough = (change: (answer: Response, body: string) => Response) =>
      refusalOf(verified(client.with({ fetch: tampering(change) }), { keys }).get('/project/{id}', { path }));
    expect(await readThrough((given, body) => new Response(body, given))).toBeNull();
    expect(await readThrough((given, body) => new Response(body.replace('Mine', 'Fake'), given))).toBeInstanceOf(NotVerified);
    expect(await readThrough(() => new Response('{}'))).toMatchObject({ message: 'the answer is not signed' });
    let kept: Response | undefined;
    const repeated = (given: Response, body: string): Response => (kept ??= new Response(body, given)).clone();
    expect([await readThrough(repeated), await readThrough(repeated)]).toEqual([
      null,
      new NotVerified('the answer was signed for another request'),
    ]);
    const other = 'watchledger.example/other+3f6c2c35+AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAh';
    expect(await refusalOf(Promise.resolve().then(() => verified(client, { keys: [other] })))).toBeInstanceOf(TypeError);
    expect(await refusalOf(verified(client, { keys: [] }).get('/project/{id}', { path }))).toBeInstanceOf(NotVerified);
  });

  it('prove an event to be in the log', async () => {
    const keys = (await client.get('/ledger/key')).data.trim().split('\n');
    const [event] = (await client.get('/project/{id}/history', { path: { id: projectId }, query: { type: ['ProjectRenamed'], limit: 1 } }))
      .data.events;
    const proven = await verified(client, { keys }).event(projectId, event?.id ?? '');
    expect(proven.event).toMatchObject({ id: event?.id, type: event?.type, n: Number(event?.position) });
    const forged = client.with({
      fetch: async (url, init) =>
        new Response((await (await fetch(url, init)).text()).replace('ProjectRenamed', 'ProjectDeleted'), {
          headers: { 'content-type': 'application/json' },
        }),
    });
    expect(await refusalOf(verified(forged, { keys }).event(projectId, event?.id ?? ''))).toBeInstanceOf(NotVerified);
  });
});

describe('the built client in a browser', () => {
  let site: Server;
  let page: ChromiumPage;

  /** One origin for the page, the files of the client and the API, as a proxy in front of both would make it. */
  beforeAll(async () => {
    site = createServer((request, response) => {
      const { url = '', method, headers } = request;
      if (url.endsWith('.js')) response.setHeader('content-type', 'text/javascript').end(readFileSync(join(DIST, url)));
      else if (!url.startsWith('/api/')) response.setHeader('content-type', 'text/html').end('<!doctype html>');
      else {
        const to = ask(`${service.url}${url}`, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        to.on('error', () => response.destroy());
        request.pipe(to);
      }
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    page = await openPage();
    await page.goto(`http://127.0.0.1:${String((site.address() as AddressInfo).port)}/`);
  });

  afterAll(async () => {
    await page.close();
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
  });

  it('signs in, reads, writes, follows and verifies', async () => {
    const result = await page.evaluate(`(async () => {
      const { WatchledgerClient, ApiError } = await import('/client.js');
      const { verified } = await import('/client-verify.js');
      const anonymous = new WatchledgerClient();
      const { token } = (await anonymous.post('/authenticate', { body: ${JSON.stringify(ADMIN)} })).data;
      const client = anonymous.with({ token });
      const path = { id: ${JSON.stringify(projectId)} };
      const opened = new Promise((resolve) => {
        void client.live(path.id, { onConnection: resolve })[Symbol.asyncIterator]().next();
      });
      await client.patch('/project/{id}', { path, body: { title: 'From a browser' } });
      const read = await client.get('/project/{id}', { path });
      const again = await client.get('/project/{id}', { path, previous: read });
      const titles = [];
      const renames = client.follow('/project/{id}/history', { path, type: 'ProjectRenamed', untilHead: true });
      for await (const { data } of renames) titles.push(data.to);
      const keys = (await client.get('/ledger/key')).data.trim().split('\\n');
      const signed = await verified(client, { keys }).get('/project/{id}', { path });
      const refused = await client.get('/project/{id}', { path: { id: '0'.repeat(24) } }).catch((error) => error);
      return { title: read.data.title, unchanged: again.isUnchanged, last: titles.at(-1), live: await opened, signed: signed.data.title, refused: refused instanceof ApiError && refused.errorCode };
    })()`);
    expect(result).toEqual({
      ...{ title: 'From a browser', unchanged: true, last: 'From a browser', live: 'open', signed: 'From a browser' },
      refused: 'NOT_FOUND',
    });
  });
});
