import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ContractFixture } from '../../contract/contract-fixture.ts';
import { type LargeRequest, largestRequests } from '../../contract/largest-requests.ts';
import { RequestSender } from '../../contract/request-sender.ts';
import { ENDS_WHAT_IT_NAMES } from '../../contract/requests.ts';
import { canMeasureThreads, EventLoopWatch } from '../../support/main-thread.ts';
import { TestService } from '../../support/service.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';

const MAX_STALL_MS = 50;
/** A stall by garbage collection, by the compiler of the engine or by background work does not come again. */
const TRIES = 4;
/** Requests sent one after the other between two readings; each is sent again alone when one of them stalls. */
const BATCH = 20;

let service: TestService;
let site: Site;
let world: ContractFixture;
let sender: RequestSender;
let watch: EventLoopWatch | undefined;
let sentRequests = 0;
beforeAll(async () => {
  site = await startHttp((_, response) => void response.setHeader('content-type', 'text/html').end('<title>Site</title>'));
  service = await TestService.start({
    env: {
      REGISTRATION: 'open',
      RATE_LIMIT: '0',
      ALLOW_TARGETS: '127.0.0.0/8',
      TRUST_PROXY: 'loopback',
    },
  });
  world = await ContractFixture.make(service, site.url);
  sender = new RequestSender(service.url);
  watch = new EventLoopWatch(service.url, service.pid);
});
afterAll(async () => {
  await watch?.stop();
  sender.close();
  await service.stop();
  await site.close();
});

/** Its status, 0 without an answer; each from an address of its own, so that no limit of guesses answers in place of the operation. */
async function send(request: LargeRequest): Promise<number> {
  if (ENDS_WHAT_IT_NAMES.has(request.operation) && request.isValid) await world.mend();
  const sent = await world.sent(request);
  const headers = {
    ...sent.headers,
    'x-forwarded-for': `203.0.113.${String(sentRequests++ % 250)}`,
  };
  return (await sender.send({ ...sent, headers }).catch(() => null))?.status ?? 0;
}

function watched(): EventLoopWatch {
  if (watch === undefined) throw new Error('the watch has not begun');
  return watch;
}

/** The shortest of several. */
async function repeatedStall(request: LargeRequest): Promise<number> {
  let stall = Infinity;
  for (let tried = 0; tried < TRIES && stall > MAX_STALL_MS; tried++)
    stall = Math.min(
      stall,
      await watched().during(async () => {
        await send(request);
      }),
    );
  return stall;
}

(canMeasureThreads ? it : it.skip)(
  'no request holds the event loop for 50 ms of processor time',
  async () => {
    const requests = largestRequests();
    const stalls: string[] = [];
    const valid: string[] = [];
    for (let first = 0; first < requests.length; first += BATCH) {
      const batch = requests.slice(first, first + BATCH);
      const longest = await watched().during(async () => {
        for (const request of batch) {
          const status = await send(request);
          if (request.isValid) valid.push(`${String(status)} ${request.operation}, ${request.what}`);
        }
      });
      for (const request of longest > MAX_STALL_MS ? batch : []) {
        const stall = await repeatedStall(request);
        if (stall > MAX_STALL_MS) stalls.push(`${request.operation}, ${request.what}: ${stall.toFixed(0)} ms`);
      }
    }
    expect(stalls).toEqual([]);
    // Otherwise it would have measured refusals only.
    const refused = valid.filter((answer) => /^(0|401|429|5\d\d) /.test(answer));
    expect(refused.filter((answer) => !/^401 POST \/authenticate(?:\/passkey)?,/.test(answer))).toEqual([]);
    expect(valid.filter((answer) => answer.startsWith('2')).length).toBeGreaterThan(valid.length / 3);
  },
  600_000,
);

(canMeasureThreads ? it : it.skip)('no batch of operations that wait for nothing holds it either', async () => {
  const { api } = await new TestAccounts(service).register('batch');
  const operations = Array.from({ length: 1_000 }, (_, place) => ({ method: 'POST', path: `/n${String(place)}` }));
  let stall = Infinity;
  for (let tried = 0; tried < TRIES && stall > MAX_STALL_MS; tried++)
    stall = Math.min(
      stall,
      await watched().during(async () => {
        expect((await api.post('/batch', { operations })).status).toBe(200);
      }),
    );
  expect(stall).toBeLessThanOrEqual(MAX_STALL_MS);
});
