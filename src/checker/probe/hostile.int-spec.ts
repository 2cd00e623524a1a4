import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compiledWorker } from '../../../test/support/compiled-worker.ts';
import type { Hostility } from '../../../test/support/servers/hostile.ts';
import type { HostileProcess } from '../../../test/support/servers/hostile-main.ts';
import { startHttp, type Site } from '../../../test/support/servers/site.ts';
import { thorough } from '../../../test/support/thorough.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { FetchOutcome } from './outcome.ts';
import { Prober } from './prober.ts';

/** For attacks that would never end; the others have the time that a busy machine needs. */
const SHORT_TIMEOUT_MS = 1_000;
const LONG_TIMEOUT_MS = 30_000;
/** Unlimited reading would take 200 MB and more. */
const MAX_GROWTH = 64 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let prober: Prober;
let servers: ChildProcess;
let urls: HostileProcess['urls'];
beforeAll(async () => {
  // In a separate process, so that their CPU time and memory are not measured here.
  const program = compiledWorker(new URL('../../../test/support/servers/hostile-main.ts', import.meta.url));
  servers = fork(fileURLToPath(program), { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' } });
  const [message] = (await once(servers, 'message')) as [HostileProcess];
  ({ urls } = message);
  prober = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }), extraRoots: [message.root] });
});
afterAll(() => {
  servers.kill();
});
const fetch = (url: string, timeoutMs = LONG_TIMEOUT_MS): Promise<FetchOutcome> => prober.fetch({ url, timeoutMs, userAgent: 'test' });
const urlOf = (hostility: Hostility): string => urls[hostility] ?? '';

const timedOut = (reason: RegExp) => ({ kind: 'timedOut', reason });
const failed = (reason: RegExp) => ({ kind: 'failed', reason });

/** The expected outcome of each attack. */
const VERDICTS = {
  'never answers': timedOut(/server did not begin to answer/),
  'drips its head': timedOut(/the server did not begin to answer/),
  'drips its body': timedOut(/answer was not complete/),
  'resets in the head': failed(/reset|closed/),
  'resets in the body': failed(/ended before its Content-Length/),
  'closes without an answer': failed(/closed without an answer/),
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
  'announces an invalid length': failed(/Content-Length of the answer is not a number/),
  'announces two lengths': failed(/Content-Length that contradicts/),
  'sends chunks that never end': timedOut(/answer was not complete/),
  'leaves out the last chunk': failed(/before its Content-Length or its last chunk/),
  'sends chunks of no size': failed(/chunk of the answer has no valid size/),
  'sends interim answers without end': failed(/interim answers without end/),
  'does not speak HTTP': failed(/is not valid HTTP/),
  'redirects in a circle': failed(/redirects more than 10 times/),
  'redirects to the metadata service': failed(/169\.254\.169\.254 is not a public address/),
  'redirects to a file': failed(/file: is neither http nor https/),
  'nests 500,000 deep': 'whole',
  'sends binary data': 'whole',
  'shows a certificate with a name of 64 KB': 'whole',
  'sends 200 headers over HTTP/2': failed(/100 header lines/),
  'sends a large header over HTTP/2': failed(/16 KiB of headers/),
  'sends a bomb over HTTP/2': 'cut',
  'resets an HTTP/2 stream': failed(/ended before its Content-Length/),
  'stalls over HTTP/2': timedOut(/answer was not complete/),
  'sends its body a byte a chunk': failed(/more than 100000 chunks/),
  'sends trailers without end': failed(/more than 16 KiB of headers/),
  'extends its chunks without end': failed(/chunk extensions without end/),
  'sends empty gzip members without end': 'whole',
  'sends a length and chunks': failed(/Content-Length that contradicts|is not valid HTTP/),
  'sends an unknown transfer coding': 'whole',
  'sends a negative length': failed(/Content-Length of the answer is not a number/),
  'sends a list of lengths': failed(/Content-Length of the answer is not a number/),
  'sends a chunk size of twenty digits': failed(/chunk of the answer has no valid size/),
  'puts a blank before a colon': failed(/is not valid HTTP/),
  'puts a null into a header': failed(/is not valid HTTP/),
  'ends its lines with a bare carriage return': failed(/is not valid HTTP/),
  'sends two answers at once': 'whole',
  'switches the protocol unrequested': failed(/protocol that was not requested/),
  'sends an invalid status': failed(/is not valid HTTP/),
  'redirects between two hosts': failed(/redirects more than 10 times/),
  'sets a thousand cookies on the way': 'whole',
  'shows a chain of a hundred certificates': 'whole',
  'never ends its handshake': timedOut(/TLS handshake did not end/),
  'sends interim answers without end over HTTP/2': failed(/interim answers without end/),
} satisfies Record<Hostility, 'cut' | 'whole' | { kind: string; reason: RegExp }>;

const HOSTILITIES = Object.keys(VERDICTS) as Hostility[];
const timeoutFor = (hostility: Hostility): number => {
  const verdict = VERDICTS[hostility];
  return typeof verdict === 'object' && verdict.kind === 'timedOut' ? SHORT_TIMEOUT_MS : LONG_TIMEOUT_MS;
};

function judge(hostility: Hostility, outcome: FetchOutcome): void {
  const verdict = VERDICTS[hostility];
  if (typeof verdict === 'string') expect(outcome).toMatchObject({ kind: 'answered', cut: verdict === 'cut' });
  else expect(outcome).toMatchObject({ kind: verdict.kind, reason: expect.stringMatching(verdict.reason) });
}

describe('a probe of a server that', () => {
  it.each(HOSTILITIES)('%s ends in time, with a reason, and in bounded memory', async (hostility) => {
    const url = urlOf(hostility);
    const timeoutMs = timeoutFor(hostility);
    // The first one allocates what all others use; those that only wait need none.
    if (timeoutMs === LONG_TIMEOUT_MS) await fetch(url, timeoutMs);
    collectGarbage();
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const startedAt = performance.now();
    const outcome = await fetch(url, timeoutMs);
    const took = performance.now() - startedAt;
    clearInterval(watch);
    judge(hostility, outcome);
    expect(outcome.phases.total).toBeLessThanOrEqual(took);
    expect(JSON.stringify({ ...outcome, body: undefined }).length).toBeLessThan(40_000);
    expect(Math.max(peak, process.memoryUsage().rss) - before).toBeLessThan(MAX_GROWTH);
  });

  it('sends data beyond its Content-Length ignores that data', async () => {
    const site = await startHttp((_, response) => response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more'));
    const outcome = await fetch(site.url);
    await site.close();
    expect(outcome).toMatchObject({ kind: 'answered', size: 5 });
  });
});

const opened: Site[] = [];
afterEach(async () => {
  for (const site of opened.splice(0)) await site.close();
});

/** CPU time of this thread in milliseconds; that of the process where the former is unknown. */
function cpuTime(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

/** Measures delays of the event loop, sorted: how late a 5 ms timer fires, limited to the CPU time used since it last fired. */
function measureLoopDelays(): () => readonly number[] {
  const lags: number[] = [];
  let last = performance.now();
  let spent = cpuTime();
  const timer = setInterval(() => {
    const now = performance.now();
    const total = cpuTime();
    lags.push(Math.max(0, Math.min(now - last - 5, total - spent)));
    last = now;
    spent = total;
  }, 5);
  return () => {
    clearInterval(timer);
    return lags.sort((a, b) => a - b);
  };
}
const quantile = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;

it('probes honest sites without delay while it probes many hostile ones', async () => {
  const honest = await startHttp((_, response) => response.end('hello'));
  opened.push(honest);
  const probeHonest = async (): Promise<void> => {
    const outcome = await fetch(honest.url);
    expect(outcome.kind).toBe('answered');
    await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const loopDelays = measureLoopDelays();
  const attack = { runs: true };
  const kinds = new Set<string>();
  const attacked = Promise.all(
    Array.from({ length: thorough(200, HOSTILITIES.length) }, async (_, i) => {
      const hostility = HOSTILITIES[i % HOSTILITIES.length];
      if (hostility !== undefined) kinds.add((await fetch(urlOf(hostility), 3_000)).kind);
    }),
  ).finally(() => (attack.runs = false));
  while (attack.runs) await probeHonest();
  await attacked;
  // On a busy machine some probes are inconclusive.
  expect([...kinds]).toEqual(expect.arrayContaining(['answered', 'failed']));
  const lags = loopDelays();
  // CPU time, so that other load on this machine counts little; an attack that succeeds blocks the loop for many seconds.
  expect(quantile(lags, 0.99)).toBeLessThan(1_000);
});
