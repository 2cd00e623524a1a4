import { beforeEach, describe, expect, it } from '@jest/globals';
import { QueueFull } from '../../kernel/concurrency-limit.ts';
import type { Lease } from '../../persistence/leases.ts';
import { ObservationQueue } from '../../observations/observation-queue.ts';
import type { Sample } from '../../observations/samples/sample.ts';
import type { Checker } from '../checker.ts';
import type { FetchOutcome } from '../probe/outcome.ts';
import type { ProbeRequest } from '../probe/probe-request.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { ANSWERED } from '../../../test/support/probe-outcomes.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import type { ProbeOfProject, UptimeKeeper } from './uptime-keeper.ts';
import { UptimeWatch } from './uptime-watch.ts';

const SITE = '0123456789abcdef01234567';
const START = Date.UTC(2026, 0, 1);
const phases = { dns: 0, connect: 1, tls: 0, request: 0, wait: 10, download: 1, total: 12 };
const journey = { url: 'https://site.example/', hops: [], phases, certificate: null, address: null };
const answered = { ...journey, ...ANSWERED };
const lease = { name: 'eu-1', epoch: 1, signal: new AbortController().signal } as unknown as Lease;

let asked: ProbeRequest[];
let stored: Sample[];
let decided: ProbeOfProject[];
let once: unknown[][];
let trouble: string[];
let atOnce: Pick<ConcurrencyLimit, 'run'>;
let outcome: FetchOutcome;
let accept: () => Promise<ReadonlySet<string>>;
let settings: Record<string, unknown>;

beforeEach(() => {
  [asked, stored, decided, once, trouble] = [[], [], [], [], []];
  atOnce = new ConcurrencyLimit(5, { maxQueue: 10 });
  outcome = answered;
  accept = () => Promise.resolve(new Set(['eu-1']));
  settings = { url: 'https://site.example', uptimeUrl: '', uptimePeriod: '60', timeout: 60, userAgent: 'x', location: 'eu' };
});

async function probe(confirming = false): Promise<void> {
  const watch = new UptimeWatch({
    prober: { fetch: (request: ProbeRequest) => Promise.resolve(outcome).finally(() => asked.push(request)) },
    queue: new ObservationQueue<Sample>({
      accept: (batches) => {
        stored.push(...batches.flatMap(({ observed }) => observed.map(({ item }) => item)));
        return accept();
      },
    }),
    keeper: {
      isQuiet: () => false,
      forget: () => undefined,
      record: (made: ProbeOfProject) => {
        decided.push(made);
        return Promise.resolve(made.probe.outcome !== 'up');
      },
    } as unknown as UptimeKeeper,
    clock: { now: () => START },
    locks: new KeyedMutex(),
    atOnce,
    onOwnTrouble: (reason) => trouble.push(reason),
    report: (error) => trouble.push(String(error)),
    onSeen: () => Promise.resolve(),
  });
  const checker = { plans: { plan: { get: () => ({ project: { id: SITE, settings } }) } }, once: (...turn: unknown[]) => once.push(turn) };
  await watch.carry(checker as unknown as Checker, confirming)({ key: '', kind: 'uptime', projectId: SITE, id: 'site', due: START }, lease);
  await watch.settle();
}

describe('watching a site', () => {
  it('keeps the sample and decides from it', async () => {
    await probe();
    expect(stored).toEqual([
      {
        at: START,
        outcome: 'up',
        periodSeconds: 60,
        httpStatus: 200,
        reason: null,
        dns: 0,
        connect: 1,
        tls: 0,
        request: 0,
        waiting: 10,
        download: 1,
        total: 12,
      },
    ]);
    expect(decided).toMatchObject([
      {
        projectId: SITE,
        confirming: false,
        probe: { evidence: { url: 'https://site.example', location: 'eu', outcome: 'up', httpStatus: 200 } },
      },
    ]);
  });

  it('gives a site nearly its whole period, and never more', async () => {
    await probe();
    settings = { ...settings, timeout: 3, uptimeUrl: 'https://site.example/health' };
    await probe();
    expect(asked.map(({ url, timeoutMs }) => [url, timeoutMs])).toEqual([
      ['https://site.example', 59_980],
      ['https://site.example/health', 3000],
    ]);
  });

  it('looks again soon at a failure', async () => {
    outcome = { ...journey, kind: 'timedOut', during: 'wait', reason: 'no answer within 3 s' };
    await probe();
    expect(stored).toMatchObject([{ outcome: 'timeout', httpStatus: 0, reason: 'no answer within 3 s' }]);
    expect(once).toEqual([['uptime-again', SITE, 'site', START + 10_000]]);
  });

  it('holds trouble of our own against nobody', async () => {
    outcome = { ...journey, kind: 'inconclusive', reason: 'this machine has no file handle left' };
    await probe();
    expect({ stored, decided, trouble }).toEqual({ stored: [], decided: [], trouble: ['this machine has no file handle left'] });
  });

  it('measures nothing, and says nothing, when too many wait', async () => {
    atOnce = { run: () => Promise.reject(new QueueFull()) };
    await probe();
    expect({ asked, stored, decided, trouble }).toEqual({ asked: [], stored: [], decided: [], trouble: [] });
  });

  it('decides nothing from what was refused, or from what nobody knows', async () => {
    outcome = { ...journey, kind: 'failed', code: 'connection', during: 'connect', reason: 'the connection was refused' };
    accept = () => Promise.resolve(new Set());
    await probe();
    accept = () => Promise.reject(new Error('the database is away'));
    await probe();
    expect({ decided, once }).toEqual({ decided: [], once: [] });
  });

  it('asks nobody while uptime is off', async () => {
    settings = { ...settings, uptimePeriod: 'false' };
    await probe(true);
    expect(asked).toEqual([]);
  });
});
