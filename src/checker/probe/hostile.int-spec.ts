import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { hostileRoot, hostileSites, type Hostility } from '../../../test/support/servers/hostile.ts';
import { startHttp, type Site } from '../../../test/support/servers/site.ts';
import { Guard } from '../../base/guard/guard.ts';
import type { Outcome } from './outcome.ts';
import { Prober } from './prober.ts';

const TIMEOUT_MS = 500;
const GRACE_MS = 250;
const MOST_GROWTH = 32 * 1024 * 1024;
const HOSTILITIES = Object.keys(hostileSites) as Hostility[];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const prober = new Prober({ guard: new Guard({ allowed: ['127.0.0.0/8'] }), extraRoots: [hostileRoot] });
const fetch = (url: string, timeoutMs = TIMEOUT_MS): Promise<Outcome> => prober.fetch({ url, timeoutMs, userAgent: 'test' });

const sites = new Map<Hostility, Site>();
beforeAll(async () => {
  for (const hostility of HOSTILITIES) sites.set(hostility, await hostileSites[hostility]());
});
afterAll(() => Promise.all([...sites.values()].map((site) => site.close())));
const urlOf = (hostility: Hostility): string => sites.get(hostility)?.url ?? '';

const timedOut = (reason: RegExp) => ({ kind: 'timedOut', reason });
const failed = (reason: RegExp) => ({ kind: 'failed', reason });

/** What is to be said of each; the cause in words. */
const VERDICTS = {
  'never accepts a word': timedOut(/server did not begin to answer/),
  'drips its head': timedOut(/within 0.5 s: the server did not begin to answer/),
  'drips its body': timedOut(/answer was not complete/),
  'resets in the head': failed(/reset|closed/),
  'resets in the body': failed(/ended before its Content-Length/),
  'closes without a word': failed(/closed without an answer/),
  'sends a gigabyte': 'cut',
  'sends a gzip bomb': 'cut',
  'sends a brotli bomb': 'cut',
  'compresses twice': failed(/compressed more than once/),
  'cuts its gzip short': failed(/compressed answer \(gzip\) ends too early/),
  'sends garbage as gzip': failed(/cannot be decompressed/),
  'sends 100,000 headers': failed(/more than 16 KiB of headers/),
  'sends 101 short headers': failed(/more than 100 header lines/),
  'sends one endless header': failed(/more than 16 KiB of headers/),
  'announces more than it sends': failed(/ended before its Content-Length/),
  'announces nonsense': failed(/Content-Length of the answer is no number/),
  'announces two lengths': failed(/Content-Length that contradicts/),
  'sends chunks that never end': timedOut(/answer was not complete/),
  'leaves out the last chunk': failed(/before its Content-Length or its last chunk/),
  'sends chunks of no size': failed(/chunk of the answer has no readable size/),
  'sends interim answers without end': failed(/interim answers without end/),
  'speaks no HTTP': failed(/is no HTTP/),
  'redirects in a circle': failed(/redirects more than 10 times/),
  'redirects to the metadata service': failed(/169\.254\.169\.254 is a linkLocal address/),
  'redirects to a file': failed(/file: is neither http nor https/),
  'nests 500,000 deep': 'whole',
  'sends bytes that are no text': 'whole',
  'shows a certificate with a name of 64 KB': 'whole',
} satisfies Record<Hostility, 'cut' | 'whole' | { kind: string; reason: RegExp }>;

function judge(hostility: Hostility, outcome: Outcome): void {
  const verdict = VERDICTS[hostility];
  if (typeof verdict === 'string') expect(outcome).toMatchObject({ kind: 'answered', cut: verdict === 'cut' });
  else expect(outcome).toMatchObject({ kind: verdict.kind, reason: expect.stringMatching(verdict.reason) });
}

describe('a server that', () => {
  it.each(HOSTILITIES)('%s ends in time, in words, and in little memory', async (hostility) => {
    const url = urlOf(hostility);
    await fetch(url);
    collectGarbage();
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const began = performance.now();
    const outcome = await fetch(url);
    const took = performance.now() - began;
    clearInterval(watch);
    judge(hostility, outcome);
    expect(took).toBeLessThan(TIMEOUT_MS + GRACE_MS);
    expect(outcome.phases.total).toBeLessThanOrEqual(took);
    expect(JSON.stringify({ ...outcome, body: undefined }).length).toBeLessThan(40_000);
    expect(Math.max(peak, process.memoryUsage().rss) - before).toBeLessThan(MOST_GROWTH);
  });

  it('lies about what it sends after its end harms nobody', async () => {
    const site = await startHttp((_, response) => response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more'));
    const outcome = await fetch(site.url);
    await site.close();
    expect(outcome).toMatchObject({ kind: 'answered', size: 5 });
  });
});

it('goes on with honest sites while 200 hostile ones are asked', async () => {
  const honest = await startHttp((_, response) => response.end('hello'));
  const attacks = Array.from({ length: 200 }, (_, i) => HOSTILITIES[i % HOSTILITIES.length]).flatMap((hostility) =>
    hostility === undefined ? [] : [hostility],
  );
  const began = performance.now();
  const lags: number[] = [];
  let last = began;
  const heartbeat = setInterval(() => {
    const now = performance.now();
    lags.push(Math.max(0, now - last - 5));
    last = now;
  }, 5);
  const under = Promise.all(attacks.map(async (hostility) => ({ hostility, outcome: await fetch(urlOf(hostility), 3000) })));
  const honestTimes: number[] = [];
  const attack = { runs: true };
  const calm = (async () => {
    while (attack.runs) {
      const outcome = await fetch(honest.url, 3000);
      expect(outcome.kind).toBe('answered');
      honestTimes.push(outcome.phases.total);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  const results = await under;
  attack.runs = false;
  await calm;
  clearInterval(heartbeat);
  await honest.close();
  expect(performance.now() - began).toBeLessThan(3000 + GRACE_MS + 500);
  expect(
    results
      .filter(({ outcome }) => outcome.kind === 'own')
      .map(({ hostility, outcome }) => [hostility, outcome.kind === 'own' && outcome.reason]),
  ).toEqual([]);
  lags.sort((a, b) => a - b);
  honestTimes.sort((a, b) => a - b);
  const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  expect(at(lags, 0.99)).toBeLessThan(100);
  expect(at(honestTimes, 0.95)).toBeLessThan(100);
}, 20_000);
