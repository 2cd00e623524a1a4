import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { headerProblem, nextPage } from '../../contract/answer-headers.ts';
import { requests, type GeneratedRequest } from '../../contract/requests.ts';
import { RequestSender, type Sent } from '../../contract/request-sender.ts';
import { Coverage } from '../../contract/coverage.ts';
import { ContractFixture } from '../../contract/contract-fixture.ts';
import { watchledger } from '../../support/command-line.ts';
import { describedEvents } from '../../support/described-events.ts';
import { undescribed } from '../../support/description.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { TestService } from '../../support/service.ts';
import { errorBody } from '../../support/error-body.ts';

const AT_ONCE = 20;
const PORTION = 500;
const SHOWN = 20;
/** Of the answers with a next page, one in so many is followed. */
const FOLLOWED = 2;
const COUNT = Number(process.env['CONTRACT_REQUESTS'] ?? 1_000);
/** The default run is the same each time. */
const SEED = Number(process.env['CONTRACT_SEED'] ?? 1);
/** Internals that no answer may contain. */
const LEAK = /node_modules|\bat (Object|async|new|file:)|\.(ts|js):\d+|\bSELECT .* FROM\b|violates .* constraint|ECONNREFUSED/;

/** Operations that need a second factor, a sign-in provider, a witnessed log, a second origin of the log, the evidence of a verdict, a mailed link, a pending invitation, an abandoned message, a team's projection or a parked event; no caller with the right asks for a rebuild. */
const OUT_OF_REACH = new Set([
  'POST /account/confirm',
  'POST /account/invitation',
  'POST /account/invitations/:id/accept',
  'POST /account/invitations/:id/decline',
  'POST /account/transfers/:id/accept',
  'POST /account/transfers/:id/decline',
  'POST /account/deliveries/:id/retry',
  'POST /account/notification-email/confirm',
  'DELETE /account/identities/:id',
  'DELETE /account/second-factors/:id',
  'PUT /account/second-factors/:id',
  'POST /account/second-factors/passkeys',
  'POST /account/second-factors/passkeys/options',
  'POST /account/second-factors/recovery-codes',
  'POST /account/second-factors/totp/:id/confirm',
  'POST /authenticate/passkey',
  'POST /authenticate/passkey/options',
  'GET /authenticate/provider',
  'GET /authenticate/provider/callback',
  'POST /authenticate/provider/confirm',
  'POST /authenticate/provider/token',
  'GET /ledger/:number/checkpoint',
  'GET /ledger/:number/tile/*',
  'GET /ledger/:number/tile/entries/*',
  'GET /project/:id/history/:eventId/evidence',
  'GET /project/:id/history/:eventId/evidence/page',
  'POST /witness/add-checkpoint',
  'DELETE /ops/projections/:name',
  'POST /ops/projections/:name/pause',
  'POST /ops/projections/:name/rebuild',
  'POST /ops/projections/:name/parked/:eventId/retry',
  'POST /ops/projections/:name/parked/:eventId/skip',
  'DELETE /ops/consumers/:name',
  'POST /ops/consumers/:name/pause',
  'POST /ops/consumers/:name/resume',
  'GET /ops/consumers/:name/parked',
  'POST /ops/consumers/:name/parked/:eventId/retry',
  'POST /ops/consumers/:name/parked/:eventId/skip',
]);

let service: TestService;
let site: Site | undefined;
let world: ContractFixture;
let sender: RequestSender | undefined;
const tally = new Coverage();
let pages = 0;

beforeAll(async () => {
  site = await startHttp(
    (_, response) => void response.setHeader('content-type', 'text/html').end('<title>Site</title><a href="/about">About</a>'),
  );
  service = await TestService.start({
    env: { REGISTRATION: 'open', RATE_LIMIT: '1000000', DEFAULT_PLAN: 'unlimited', ALLOW_TARGETS: '127.0.0.0/8' },
  });
  world = await ContractFixture.make(service, site.url);
  sender = new RequestSender(service.url);
});
afterAll(async () => {
  sender?.close();
  await site?.close();
  await service.stop();
});

/** The defect of the answer, or of the page that follows it, or null. */
async function problemOf(request: GeneratedRequest): Promise<string | null> {
  return answerProblem(request, await world.sent(request));
}

async function answerProblem(request: GeneratedRequest, sent: Sent): Promise<string | null> {
  const answer = await sender?.send(sent).catch((error: unknown) => String(error));
  if (answer === null || answer === undefined) return null;
  const shown = `${sent.method} ${sent.path.slice(0, 300)} ${JSON.stringify(sent.headers).replace(/Bearer [^"]+/, 'Bearer …')} ${(sent.body ?? '').slice(0, 300)}`;
  if (typeof answer === 'string') return `${shown}\n${answer}`;
  tally.count(request, answer.status);
  if (answer.status >= 500 && !isHonest(request, answer.text)) return `${shown}\nwas answered ${String(answer.status)} ${answer.text}`;
  const leak = answer.status >= 400 ? LEAK.exec(answer.text)?.[0] : undefined;
  if (leak !== undefined) return `${shown}\nleaks ${leak}: ${answer.text.slice(0, 1_000)}`;
  const problem = undescribed(sent.method, sent.path, answer) ?? headerProblem(sent, answer);
  if (problem !== null) return `${shown}\n${problem}\n${JSON.stringify(answer.headers)} ${answer.text.slice(0, 600)}`;
  const next = sent.method === 'GET' && answer.status === 200 ? nextPage(answer.headers) : null;
  return next === null || pages++ % FOLLOWED !== 0 ? null : pageProblem(request, { ...sent, path: next });
}

/** A cursor of the service is accepted, unless the list itself has ended meanwhile. */
async function pageProblem(request: GeneratedRequest, sent: Sent): Promise<string | null> {
  const answer = await sender?.send(sent);
  if (answer?.status === 400) return `${sent.path}\nis the next page, and was refused: ${answer.text}`;
  return answerProblem(request, sent);
}

/** Generated in portions: ten thousand at once take longer than the service keeps an idle connection. */
function* batches(): Generator<readonly GeneratedRequest[]> {
  for (let made = 0; made < COUNT; made += PORTION) {
    const portion = fc.sample(requests, { seed: SEED + made, numRuns: Math.min(PORTION, COUNT - made) });
    for (let first = 0; first < portion.length; first += AT_ONCE) yield portion.slice(first, first + AT_ONCE);
  }
}

/** A 5xx that is allowed: the page could not be fetched, such as a host name that does not resolve. */
const isHonest = ({ operation }: GeneratedRequest, text: string): boolean =>
  operation === 'POST /project/:id/try' && text.includes('could not be fetched just now');

/** Sends raw text on a connection and returns everything received until it closes. */
function exchange(words: string): Promise<string> {
  return new Promise((heard, failed) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(words));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('close', () => heard(Buffer.concat(chunks).toString()));
    socket.once('error', failed);
  });
}

describe('malformed HTTP', () => {
  it.each([
    ['a greeting', 400, 'EHLO example.test\r\n\r\n'],
    ['a header without a name', 400, 'GET /api/projects HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    ['two lengths', 400, 'POST /api/authenticate HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    [
      'a length and chunks',
      400,
      'POST /api/authenticate HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['too many headers', 431, `GET /api/projects HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('answers with the error body of the interface: %s', async (_, status, words) => {
    const [head = '', body = ''] = (await exchange(words)).split('\r\n\r\n', 2);
    expect(head).toContain(`HTTP/1.1 ${String(status)} `);
    expect(JSON.parse(body)).toEqual(errorBody(status));
  });
});

describe(`${String(COUNT)} generated requests, seed ${String(SEED)}`, () => {
  it('answers each request as described and never with a server error', async () => {
    const problems = new Map<string, string>();
    for (const batch of batches()) {
      await world.mend();
      for (const [index, problem] of (await Promise.all(batch.map(problemOf))).entries())
        if (problem !== null) problems.set(`${batch[index]?.operation ?? ''} ${problem.split('\n', 2)[1]?.slice(0, 120) ?? ''}`, problem);
    }
    if (process.env['CONTRACT_REQUESTS'] !== undefined) process.stderr.write(`${tally.table()}\n`);
    expect([...problems.values()].slice(0, SHOWN).join('\n\n')).toBe('');
  }, 1_800_000);

  it('succeeds often enough, and for nearly every operation in a long run', () => {
    expect(tally.share(200)).toBeGreaterThan(0.1);
    const missed = tally.neverAnswered(200).filter((operation) => !OUT_OF_REACH.has(operation));
    // A few operations may be missed by chance.
    if (COUNT >= 10_000) expect([missed.length < 6, missed]).toEqual([true, missed]);
  });

  it('leaves the service healthy', async () => {
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect(service.log.filter((line) => line.includes('"level":"error"') && !line.includes('/try'))).toEqual([]);
  });

  it('leaves events that fit the JSON Schemas that they name', async () => {
    const { types, problems } = await describedEvents(service.url, world.tokenOf('admin'));
    expect(problems.slice(0, SHOWN)).toEqual([]);
    expect(types).toBeGreaterThan(30);
  });

  it('leaves a log that verifies and replays', async () => {
    const env = { DATABASE_URL: service.database.url, MASTER_KEY: service.masterKey };
    for (const command of ['verify', 'replay']) {
      const { status, out, err } = await watchledger(env, command).ran;
      expect([command, status, status === 0 ? '' : out + err]).toEqual([command, 0, '']);
    }
  });
});
