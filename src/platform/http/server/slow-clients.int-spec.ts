import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { until } from '../../../../test/support/until.ts';
import { ConnectionMetrics } from '../../telemetry/metrics/connection-metrics.ts';
import { Metrics } from '../../telemetry/metrics/metrics.ts';
import { answerOf } from '../errors/answer-of.ts';
import { brokenRequestAnswer } from './protocol-errors.ts';
import { delayRefusals, limitConnections, limitUnfinishedRequests, serverWithoutPipelining, timeouts } from './slow-clients.ts';

let app: FastifyInstance;
/** Requests that reached a handler of `/counted`. */
let handled: number;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

const roomy = { rateLimit: 0, maxConnections: 100, maxConnectionsPerAddress: 100, maxUnfinishedRequests: 100, trustProxy: [] as string[] };
const metrics = new Metrics();

async function serve(limits: Partial<typeof roomy> = {}, requestTimeout = 30): Promise<void> {
  const all = { ...roomy, ...limits };
  const times = timeouts({ requestTimeout, connectionTimeout: 180 });
  app = fastify({
    ...times,
    serverFactory: (handler) => serverWithoutPipelining(handler, times, all.trustProxy),
    trustProxy: all.trustProxy.length > 0,
    clientErrorHandler: brokenRequestAnswer({}),
  });
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = answerOf(error, request.id);
    return reply.status(status).headers(headers).send(body);
  });
  metrics.registry.clear();
  const counted = new ConnectionMetrics(metrics);
  limitConnections(app.server, all, counted);
  limitUnfinishedRequests(app, all, counted);
  delayRefusals(app, { ...all, delayMs: 3_000 }, ({ headers }) => headers.authorization === undefined);
  handled = 0;
  app.get('/counted', () => ({ n: ++handled }));
  app.post('/', () => ({ ok: true }));
  app.get('/slow', async () => {
    await pause(2_500);
    return { ok: true };
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
}

interface Client {
  readonly socket: Socket;
  received: string;
  closed: boolean;
}

function open(words = ''): Client {
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const client: Client = { socket, received: '', closed: false };
  socket.on('data', (chunk: Buffer) => (client.received += chunk.toString()));
  socket.on('close', () => (client.closed = true));
  socket.on('error', () => undefined);
  if (words !== '') socket.write(words);
  return client;
}
const begin = (from?: string): Client =>
  open(
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n${from === undefined ? '' : `X-Forwarded-For: ${from}\r\n`}\r\n{`,
  );
const when = (holds: () => boolean, what: string): Promise<void> => until(() => Promise.resolve(holds()), 5_000, what);
const value = async (name: string): Promise<string | undefined> =>
  new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\d+)$`, 'm').exec(await metrics.registry.metrics())?.[1];
const unfinished = (count: number): Promise<void> =>
  until(async () => (await value('watchledger_unfinished_requests')) === String(count), 5_000, `${String(count)} unfinished requests`);
const answered = (client: Client, status: number): Promise<void> =>
  when(() => client.received.startsWith(`HTTP/1.1 ${String(status)} `), `the answer ${String(status)}, not ${client.received}`);

describe('a client that sends slowly', () => {
  it('has the time of a request for its body, and half of it for the head', async () => {
    await serve({}, 2);
    const [head, body, chunk] = [
      open('POST / HTTP/1.1\r\nHost: x\r\n'),
      begin(),
      open('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{'),
    ];
    for (const client of [head, body, chunk]) {
      await answered(client, 408);
      await when(() => client.closed, 'the end of the connection');
    }
    await unfinished(0);
  });

  it('may wait longer than that for the answer to a complete request', async () => {
    await serve({}, 1);
    const client = open('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await answered(client, 200);
  });

  it('may have a few unfinished requests; further ones are refused before their body is held', async () => {
    await serve({ maxUnfinishedRequests: 3 });
    const begun = [begin(), begin(), begin()];
    await unfinished(3);
    const refused = begin();
    await answered(refused, 429);
    expect(refused.received.toLowerCase()).toMatch(/retry-after: 1\r\n/);
    await when(() => refused.closed, 'the end of the refused connection');
    const [first] = begun;
    first?.socket.write('}');
    if (first) await answered(first, 200);
    await unfinished(2);
    begun[1]?.socket.destroy();
    await unfinished(1);
    const next = begin();
    await unfinished(2);
    next.socket.write('}');
    await answered(next, 200);
    expect(await value('watchledger_clients_refused_total{limit="unfinished_requests"}')).toBe('1');
  });

  it('has no unfinished request left once a body was refused unread', async () => {
    await serve({ maxUnfinishedRequests: 2 });
    for (let n = 0; n < 3; n++) {
      const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n';
      const tooLarge = open(`${head}${'x'.repeat(2_000_000)}`);
      await when(() => tooLarge.closed, 'the end of the refused connection');
    }
    await unfinished(0);
  });

  it('is counted by the address that a trusted proxy names, IPv6 by its network', async () => {
    await serve({ maxUnfinishedRequests: 1, maxConnectionsPerAddress: 1, trustProxy: ['loopback'] });
    begin('2001:db8:0:7::1');
    begin('203.0.113.1');
    await unfinished(2);
    await answered(begin('2001:db8:0:7::2'), 429);
    begin('2001:db8:0:8::1');
    await unfinished(3);
  });
});

describe('connections', () => {
  const idle = (count: number): Promise<Client[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const client = open();
        await once(client.socket, 'connect');
        return client;
      }),
    );

  it('beyond the limit of one client are closed at once', async () => {
    await serve({ maxConnectionsPerAddress: 3 });
    const clients = await idle(5);
    await when(() => clients.filter(({ closed }) => closed).length === 2, 'the end of two connections');
    clients.find(({ closed }) => !closed)?.socket.destroy();
    await until(async () => (await value('watchledger_connections')) === '2', 5_000, 'two open connections');
    const [next] = await idle(1);
    next?.socket.write('POST / HTTP/1.1\r\nHost: x\r\n\r\n');
    if (next) await answered(next, 200);
    expect(await value('watchledger_clients_refused_total{limit="connections_of_address"}')).toBe('2');
  });

  it('beyond the limit of all clients are closed at once', async () => {
    await serve({ maxConnections: 3 });
    const clients = await idle(5);
    await when(() => clients.filter(({ closed }) => closed).length === 2, 'the end of two connections');
    expect(await value('watchledger_clients_refused_total{limit="connections"}')).toBe('2');
  });
});

const head = 'GET /counted HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a client that does not wait for answers', () => {
  it('is cut off beyond four requests of one packet, of which no other is handled', async () => {
    await serve();
    const client = open(head.repeat(1_000));
    await until(() => Promise.resolve(client.closed), 5_000, 'the end of the connection');
    expect(handled).toBeLessThanOrEqual(4);
  });

  it('has further connections closed unread, but one behind a trusted proxy has not', async () => {
    await serve();
    const client = open(head.repeat(1_000));
    await until(() => Promise.resolve(client.closed), 5_000, 'the end of the connection');
    const next = open(head);
    await until(() => Promise.resolve(next.closed), 5_000, 'the end of the next one');
    expect(next.received).toBe('');
    await app.close();
    await serve({ trustProxy: ['loopback'] });
    const proxied = open(head.repeat(1_000));
    await until(() => Promise.resolve(proxied.closed), 5_000, 'the end of the connection');
    await answered(open(head), 200);
  });

  it('has four answered, in order, and may go on', async () => {
    await serve();
    const client = open(head.repeat(4));
    const answers = (): readonly unknown[] => [...client.received.matchAll(/"n":(\d)/g)].map(([, n]) => n);
    await until(() => Promise.resolve(answers().length === 4), 5_000, 'four answers');
    client.socket.write(head.repeat(4));
    await until(() => Promise.resolve(answers().length === 8), 5_000, 'four more');
    expect(answers()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(client.closed).toBe(false);
  });
});

describe('a client that is refused more often than it may ask', () => {
  const none = (more = ''): Client => open(`GET /none HTTP/1.1\r\nHost: a\r\n${more}\r\n`);

  it('has each further refusal later, and nothing else', async () => {
    await serve({ rateLimit: 3, trustProxy: ['loopback'] });
    for (let n = 0; n < 3; n++) await answered(none(), 404);
    const delayed = none();
    await answered(none('Authorization: Bearer a\r\n'), 404);
    await answered(none('X-Forwarded-For: 203.0.113.9\r\n'), 404);
    await answered(open(head), 200);
    expect(delayed.received).toBe('');
    await answered(delayed, 404);
  });
});
