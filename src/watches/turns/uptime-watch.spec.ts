import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit, QueueFull } from '../../kernel/concurrency-limit.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import { ObservationQueue } from '../../platform/observations/observation-queue.ts';
import type { Sample } from '../../platform/observations/samples/sample.ts';
import type { FetchOutcome } from '../../checker/probe/outcome.ts';
import type { ProbeRequest } from '../../checker/probe/probe-request.ts';
import type { WatchedProject } from '../../checker/projects/watched-projects.ts';
import { noEvidence } from '../../../test/support/no-evidence.ts';
import { ANSWERED } from '../../../test/support/probe-outcomes.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import type { ProbeOfProject, UptimeRecorder } from './uptime-recorder.ts';
import { siteTurn } from './site-look.ts';
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
let scheduled: unknown[][];
let reported: string[];
let fetchLimit: Pick<ConcurrencyLimit, 'run'>;
let outcome: FetchOutcome;
let canDecide: boolean;
let accept: () => Promise<ReadonlySet<string>>;
let settings: Record<string, unknown>;

beforeEach(() => {
  [asked, stored, decided, scheduled, reported] = [[], [], [], [], []];
  fetchLimit = new ConcurrencyLimit(5, { maxQueue: 10 });
  outcome = answered;
  canDecide = true;
  accept = () => Promise.resolve(new Set(['eu-1']));
  settings = { url: 'https://site.example', uptimeUrl: '', uptimePeriod: '60', timeout: 60, userAgent: 'x', location: 'eu' };
});

async function probe(confirming = false): Promise<void> {
  const watch = new UptimeWatch({
    checker: {
      projects: { get: () => ({ project: { id: SITE, settings } }) as unknown as WatchedProject },
      canDecide: () => canDecide,
      leaseOf: () => lease,
      scheduleOnce: (...turn) => scheduled.push(turn),
    },
    prober: { fetch: (request: ProbeRequest) => Promise.resolve(outcome).finally(() => asked.push(request)) },
    queue: new ObservationQueue<Sample>({
      accept: (batches) => {
        stored.push(...batches.flatMap(({ observed }) => observed.map(({ item }) => item)));
        return accept();
      },
    }),
    recorder: {
      isUp: () => false,
      decisiveness: () => 'no',
      forget: () => undefined,
      record: (made: ProbeOfProject) => {
        decided.push(made);
        return Promise.resolve({ changed: false, needsConfirmation: made.probe.outcome !== 'up' });
      },
    } as unknown as UptimeRecorder,
    evidence: noEvidence,
    clock: { now: () => START },
    mutex: new KeyedMutex(),
    fetchLimit,
    onInconclusive: (reason) => reported.push(reason),
    report: (error) => reported.push(String(error)),
    onProbed: () => Promise.resolve(),
  });
  const kind = confirming ? 'uptime-again' : 'uptime';
  await watch.handleTurn({ ...siteTurn(kind, SITE), due: START }, lease);
  await watch.waitUntilIdle();
}

describe('the uptime watch', () => {
  it('stores the sample and decides from it', async () => {
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

  it('limits the timeout to just below the period', async () => {
    await probe();
    settings = { ...settings, timeout: 3, uptimeUrl: 'https://site.example/health' };
    await probe();
    expect(asked.map(({ url, timeoutMs }) => [url, timeoutMs])).toEqual([
      ['https://site.example', 59_980],
      ['https://site.example/health', 3000],
    ]);
  });

  it('resumes TLS sessions of the project, but not to confirm a failure', async () => {
    await probe();
    await probe(true);
    expect(asked.map(({ resumeFor }) => resumeFor)).toEqual([SITE, undefined]);
  });

  it('schedules a confirming probe after a failure', async () => {
    outcome = { ...journey, kind: 'timedOut', during: 'wait', reason: 'no answer within 3 s' };
    await probe();
    expect(stored).toMatchObject([{ outcome: 'timeout', httpStatus: 0, reason: 'no answer within 3 s' }]);
    expect(scheduled).toEqual([[siteTurn('uptime-again', SITE), START + 10_000]]);
  });

  it('stores nothing for an inconclusive probe', async () => {
    outcome = { ...journey, kind: 'inconclusive', reason: 'this machine has no file handle left' };
    await probe();
    expect({ stored, decided, reported }).toEqual({ stored: [], decided: [], reported: ['this machine has no file handle left'] });
  });

  it('stores the sample and leaves the decision to the next probe while the read models are too far behind', async () => {
    outcome = { ...journey, kind: 'timedOut', during: 'wait', reason: 'no answer within 3 s' };
    canDecide = false;
    await probe();
    expect(stored).toMatchObject([{ outcome: 'timeout' }]);
    expect({ decided, scheduled, reported }).toEqual({ decided: [], scheduled: [], reported: [] });
  });

  it('stores and reports nothing when the limit refuses the probe', async () => {
    fetchLimit = { run: () => Promise.reject(new QueueFull()) };
    await probe();
    expect({ asked, stored, decided, reported }).toEqual({ asked: [], stored: [], decided: [], reported: [] });
  });

  it('decides nothing from a sample that was rejected or may not have been stored', async () => {
    outcome = { ...journey, kind: 'failed', code: 'connection', during: 'connect', reason: 'the connection was refused' };
    accept = () => Promise.resolve(new Set());
    await probe();
    accept = () => Promise.reject(new Error('the database is unavailable'));
    await probe();
    expect({ decided, scheduled }).toEqual({ decided: [], scheduled: [] });
  });

  it('probes nothing while uptime is off', async () => {
    settings = { ...settings, uptimePeriod: 'false' };
    await probe(true);
    expect(asked).toEqual([]);
  });
});
