import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { until } from '../../../../test/support/until.ts';
import { answerAsOf, stateInstant } from './as-of-answers.ts';
import { type AsOf, currentAsOf } from './as-of.ts';
import { asOfSlot, positionSlot } from '../context/request-state.ts';

const DAY = 86_400_000;
const RETENTION_DAYS = 90;

let app: FastifyInstance;
let address: string;
/** The answers of requests with `wait` are held until it is called. */
let release: () => void;

/** Stands for the rights guard and the handler of a route. */
beforeAll(async () => {
  app = fastify();
  answerAsOf(app);
  app.route<{ Querystring: { asOf?: string; wait?: string } }>({
    method: ['GET', 'HEAD', 'PUT'],
    url: '/api/project/:id',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { asOf, wait } = request.query;
      positionSlot.set(request, 57);
      await Promise.resolve();
      if (asOf !== undefined) asOfSlot.set(request, { n: 41, at: Date.now() - Number(asOf) * DAY } as AsOf);
      stateInstant(request, reply, RETENTION_DAYS);
      if (wait !== undefined) await new Promise<void>((resolve) => (release = resolve));
      return { n: currentAsOf()?.n ?? null };
    },
  });
  app.get('/api/project/:id/start', (request, reply) => {
    positionSlot.set(request, 57);
    stateInstant(request, reply, RETENTION_DAYS);
    return {};
  });
  address = `${await app.listen({ port: 0, host: '127.0.0.1' })}/api/project/p`;
});
afterAll(() => app.close());

async function ask(url: string, method = 'GET'): Promise<readonly unknown[]> {
  const answer = await fetch(`${address}${url}`, { method });
  const text = await answer.text();
  return [answer.headers.get('watchledger-as-of'), text === '' ? null : (JSON.parse(text) as { n?: number | null }).n];
}

it('an answer as of an instant names its log position and whether the measurements of then have expired', async () => {
  expect(await ask('?asOf=89.9')).toEqual(['41', 41]);
  expect(await ask('?asOf=90.1')).toEqual(['41; observations=expired', 41]);
  expect(await ask('')).toEqual(['57', null]);
});

it('an answer of now names the position from before its first read, and a write none', async () => {
  expect(await ask('', 'HEAD')).toEqual(['57', null]);
  expect(await ask('', 'PUT')).toEqual([null, null]);
  expect(await ask('/start')).toEqual([null, undefined]);
});

describe('the storage of instants', () => {
  const disabled = jest.spyOn(AsyncLocalStorage.prototype, 'disable');
  const run = jest.spyOn(AsyncLocalStorage.prototype, 'run');
  beforeEach(() => {
    disabled.mockClear();
    run.mockClear();
  });
  afterAll(() => {
    disabled.mockRestore();
    run.mockRestore();
  });

  it('is not used by requests without an instant', async () => {
    await ask('');
    expect(run).not.toHaveBeenCalled();
  });

  it('is disabled when the last request with an instant has ended, because it slows every promise', async () => {
    const slow = ask('?asOf=1&wait=1');
    await until(() => Promise.resolve(run.mock.calls.length === 1), 2_000, 'the beginning of the slow request');
    expect(await ask('?asOf=1')).toEqual(['41', 41]);
    expect(await ask('')).toEqual(['57', null]);
    expect(disabled).not.toHaveBeenCalled();
    release();
    expect(await slow).toEqual(['41', 41]);
    await until(() => Promise.resolve(disabled.mock.calls.length === 1), 2_000, 'the end of both requests');
    expect(await ask('?asOf=1')).toEqual(['41', 41]);
  });
});
