import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, NoAnswer } from './api-error.ts';
import { WatchledgerClient } from './client.ts';
import type { ClientOptions } from './transport.ts';

interface Seen {
  readonly line: string;
  readonly key: string | undefined;
  readonly lastEventId: string | undefined;
  readonly body: string;
  readonly at: number;
}

type Step = (response: ServerResponse, request: IncomingMessage) => void;

/** A server on a real socket that answers each request by the next step; the last one stays. */
const seen: Seen[] = [];
let steps: Step[];
let server: Server;

const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const refused = (status: number, errorCode: string, headers: Readonly<Record<string, string>> = {}): Step =>
  json(status, { message: `refused as ${errorCode}`, errorCode, requestId: 'r-1', param: 'title', allowed: ['a'] }, headers);
const cut: Step = (response) => {
  response.destroy();
};
const cutInBody: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"half":', () => response.destroy());
};
const silent: Step = () => undefined;

const client = (options: ClientOptions = {}): WatchledgerClient =>
  new WatchledgerClient({ baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, token: 't', ...options });
const refusalOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );
const ID = '64f0c2a91b7de35a04c8f612';
const rename = (one: WatchledgerClient) => one.patch('/project/{id}', { path: { id: ID }, body: { title: 'x' } });

beforeEach(async () => {
  seen.length = 0;
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { 'idempotency-key': key, 'last-event-id': lastEventId } = request.headers as Record<string, string | undefined>;
      seen.push({ line: `${request.method ?? ''} ${request.url ?? ''}`, key, lastEventId, body, at: Date.now() });
      const [step = cut, ...rest] = steps;
      if (rest.length > 0) steps = rest;
      step(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a request of the client', () => {
  it('repeats a write with the same idempotency key after cuts, 502, 503 and 504', async () => {
    for (const trouble of [cut, cutInBody, json(502, {}), refused(503, 'STORE_UNAVAILABLE', { 'retry-after': '0' }), json(504, {})]) {
      steps = [trouble, json(200, { ok: true })];
      expect((await rename(client())).data).toEqual({ ok: true });
    }
    const sent = seen.map(({ key, body }) => `${key ?? ''} ${body}`);
    expect(sent).toHaveLength(10);
    for (let at = 0; at < 10; at += 2) expect(sent[at + 1]).toBe(sent[at]);
    expect(new Set(sent).size).toBe(5);
    expect(sent[0]).toMatch(/^[0-9a-f]{32} \{"title":"x"\}$/);
  });

  it('waits for as long as Retry-After says, and ends with the last refusal after its attempts', async () => {
    steps = [refused(429, 'RATE_LIMITED', { 'retry-after': '1' }), json(200, [])];
    await client().get('/projects');
    expect((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
    steps = [refused(503, 'READS_BEHIND', { 'retry-after': '0' })];
    expect(await refusalOf(client({ attempts: 2 }).get('/projects'))).toMatchObject({ errorCode: 'READS_BEHIND' });
    expect(seen).toHaveLength(4);
  });

  it('throws at once where Retry-After is longer than it may wait', async () => {
    steps = [refused(429, 'BUDGET_SPENT', { 'retry-after': '3600' })];
    expect(await refusalOf(client().get('/projects'))).toMatchObject({ errorCode: 'BUDGET_SPENT', retryAfter: 3600 });
    expect(seen).toHaveLength(1);
  });

  it('repeats a write that takes no key after 429 only', async () => {
    const signIn = () => client().post('/authenticate', { body: { email: 'a@example.test', password: 'p' } });
    steps = [refused(429, 'RATE_LIMITED', { 'retry-after': '0' }), cut];
    expect(await refusalOf(signIn())).toBeInstanceOf(NoAnswer);
    expect(seen.map(({ key }) => key)).toEqual([undefined, undefined]);
    steps = [refused(503, 'UNAVAILABLE')];
    expect(await refusalOf(signIn())).toMatchObject({ status: 503 });
    expect(seen).toHaveLength(3);
  });

  it('does not repeat refusals, and states what is wrong', async () => {
    steps = [refused(400, 'INVALID_INPUT')];
    const error = await refusalOf(rename(client()));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, message: 'refused as INVALID_INPUT', requestId: 'r-1', param: 'title', allowed: ['a'] });
    steps = [(response) => response.writeHead(403).end('<html>a proxy</html>')];
    expect(await refusalOf(rename(client()))).toMatchObject({ status: 403, errorCode: 'UNAVAILABLE', requestId: null });
    expect(seen).toHaveLength(2);
  });

  it('sends a key with a GET that starts something, and none with others', async () => {
    steps = [json(200, {})];
    await client().get('/project/{id}/start', { path: { id: ID } });
    await client().get('/project/{id}', { path: { id: ID } });
    expect(seen.map(({ key }) => key !== undefined)).toEqual([true, false]);
  });

  it('ends with its time, and with the signal of the caller also while it waits for a repeat', async () => {
    steps = [silent];
    expect(await refusalOf(client({ timeoutMs: 50, attempts: 1 }).get('/projects'))).toMatchObject({ reason: 'timeout' });
    steps = [refused(503, 'UNAVAILABLE', { 'retry-after': '50' })];
    const reason = new Error('the page was left');
    const abort = new AbortController();
    const ended = refusalOf(client().get('/projects', { signal: abort.signal }));
    setTimeout(() => {
      abort.abort(reason);
    }, 50);
    expect(await ended).toBe(reason);
  });

  it('answers what it has where nothing changed since', async () => {
    steps = [
      json(200, { title: 'a' }, { etag: '"s.1"', 'watchledger-as-of': '12' }),
      (response, { headers }) => {
        response.writeHead(headers['if-none-match'] === '"s.1"' ? 304 : 500).end();
      },
    ];
    const path = { id: ID };
    const first = await client().get('/project/{id}', { path });
    expect(first).toMatchObject({ etag: '"s.1"', asOf: 12, isUnchanged: false });
    expect(await client().get('/project/{id}', { path, previous: first })).toMatchObject({ data: { title: 'a' }, isUnchanged: true });
  });

  it('refuses ids that would lead to another path', async () => {
    for (const id of ['', '.', '..'])
      expect(await refusalOf(Promise.resolve().then(() => client().get('/project/{id}', { path: { id } })))).toBeInstanceOf(TypeError);
    steps = [json(200, {})];
    await client().get('/project/{id}', { path: { id: '../account?x=#' } });
    expect(seen.map(({ line }) => line)).toEqual(['GET /api/project/..%2Faccount%3Fx%3D%23']);
  });
});

describe('the live stream of the client', () => {
  it('resumes after the last whole event when the stream is cut, and leaves none out', async () => {
    const stream =
      (frames: string): Step =>
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frames, () => setTimeout(() => response.destroy(), 20));
      };
    const frame = (id: number): string => `id: ${String(id)}\nevent: CheckFailed\ndata: {"id":"${String(id)}"}\n\n`;
    steps = [
      stream(`retry: 10\n\n${frame(1)}event: result\ndata: {"testId":"t"}\n\n${frame(2)}id: 3\ndata: {"id"`),
      refused(503, 'UNAVAILABLE', { 'retry-after': '0' }),
      cut,
      stream(frame(3)),
      refused(403, 'FORBIDDEN'),
    ];
    const states: string[] = [];
    const live = client().live(ID, { onConnection: (state) => states.push(state) });
    const heard: string[] = [];
    const error = await refusalOf(
      (async () => {
        for await (const message of live) heard.push(message.type === 'event' ? message.event.id : message.result.testId);
      })(),
    );
    expect(error).toMatchObject({ errorCode: 'FORBIDDEN' });
    expect(heard).toEqual(['1', 't', '2', '3']);
    expect(seen.map(({ lastEventId }) => lastEventId)).toEqual([undefined, '2', '2', '2', '3']);
    expect(states).toEqual(['open', 'lost', 'open', 'lost']);
    expect(live.lastEventId).toBe('3');
  });
});

describe('a subscriber of the client', () => {
  const page = (...tokens: readonly string[]): Step =>
    json(200, {
      deliveries: tokens.map((token) => ({ token, attempt: 1, until: '', event: { position: token } })),
      position: '9',
      head: '9',
    });
  const done = json(200, { done: 1, stale: [] });
  const asked = (): readonly unknown[] =>
    seen.map(({ line, body }) => [
      line.split('/').at(-1),
      ...Object.values(JSON.parse(body) as Record<string, unknown>).filter((value) => value !== 'a'),
    ]);
  const subscribe = () => client().subscribe('s', { consumer: 'a', limit: 5, waitSeconds: 2 });

  it('acknowledges what the loop has finished with, a page at once, and continues after outages without a key', async () => {
    steps = [
      page('1', '2', '3'),
      done,
      done,
      cut,
      refused(503, 'UNAVAILABLE', { 'retry-after': '0' }),
      page('4'),
      done,
      refused(404, 'SUBSCRIPTION_NOT_FOUND'),
    ];
    const handled: string[] = [];
    const loop = async (): Promise<void> => {
      for await (const one of subscribe()) {
        handled.push(one.token);
        if (one.token === '2') await one.park('broken');
      }
    };
    expect(await refusalOf(loop())).toMatchObject({ errorCode: 'SUBSCRIPTION_NOT_FOUND' });
    expect(handled).toEqual(['1', '2', '3', '4']);
    const read = ['read', 5, 2];
    expect(asked()).toEqual([read, ['nack', ['2'], 'park', 'broken'], ['ack', ['1', '3']], read, read, read, ['ack', ['4']], read]);
    expect(seen.map(({ key }) => key)).toEqual(seen.map(() => undefined));
  });

  it('gives back what a loop that ends early did not finish, whatever the service answers to that', async () => {
    for (const answer of [done, refused(404, 'SUBSCRIPTION_NOT_FOUND')]) {
      seen.length = 0;
      steps = [page('1', '2', '3'), answer];
      const loop = async (): Promise<void> => {
        for await (const { token } of subscribe()) if (token === '2') throw new Error('of the loop');
      };
      expect(await refusalOf(loop())).toMatchObject({ message: 'of the loop' });
      expect(asked().slice(0, 2)).toEqual([
        ['read', 5, 2],
        ['ack', ['1']],
      ]);
      if (answer === done) expect(asked().at(-1)).toEqual(['nack', ['2', '3'], 'retry']);
    }
  });
});
