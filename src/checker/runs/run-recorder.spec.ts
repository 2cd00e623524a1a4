import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ANSWERED, REFUSED } from '../../../test/support/probe-outcomes.ts';
import { noEvidence, noExchange } from '../../../test/support/no-evidence.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { ConcurrencyLimit, QueueFull } from '../../kernel/concurrency-limit.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { type RecordRun, RecordRunHandler } from '../verdicts/verdict.commands.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import type { MadeRun, RunStore } from '../../platform/observations/runs/run-store.ts';
import { memoryTail } from '../../../test/support/memory/memory-tail.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import { VerdictKeeper } from '../verdicts/verdict-keeper.ts';
import type { RunResult } from './check-runner.ts';
import type { ExchangeStore } from '../../platform/observations/exchanges/exchange-store.ts';
import { exchangeOf } from '../evidence/exchange-of.ts';
import { EvidenceKeeper } from '../evidence/keep-evidence.ts';
import { NO_PHASES } from '../probe/outcome.ts';
import { HostGate } from './host-gate.ts';
import { type ExecutedRun, RunRecorder, type RunRecorderOptions } from './run-recorder.ts';

/** Nothing was stored before. */
const noRuns: Pick<RunStore, 'between' | 'tail'> = {
  between: () => Promise.resolve([]),
  tail: () => Promise.resolve(memoryTail(new Map())),
};

const check: CheckRow = {
  id: 'check',
  projectId: 'project',
  areaId: 'area',
  settings: {
    name: '',
    url: '/',
    enabled: true,
    notice: '',
    type: 'simple',
    rules: [],
    options: { '2': false, '6': false, g: false, l: false, w: null },
    template: { id: '', vars: [] },
  },
  order: 1,
};
const watched: WatchedProject = {
  project: {
    id: 'project',
    payerId: 1,
    settings: projectSettings,
    apiKey: { subject: 'project', sealed: '' },
    preset: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    isWordPress: null,
    members: [],
    invitations: [],
    transfer: null,
  },
  areas: new Map(),
  checks: new Map([['check', check]]),
};
const lease: Lease = {
  name: 'shard',
  epoch: 1,
  signal: new AbortController().signal,
  release: () => Promise.resolve(),
};

function passed(page: string | Uint8Array, contentType = 'text/html'): RunResult {
  const at = Date.now();
  const evidence = {
    runId: 'run',
    url: 'https://example.com/',
    at: new Date(at).toISOString(),
    location: 'eu',
    httpStatus: 200,
    milliseconds: 1,
  };
  const phases = { dns: 0, connect: 0, tls: 0, request: 0, waiting: 0, download: 0, total: 1 };
  const seen = {
    ...{ confirming: false, jobId: null, httpStatus: 200, failures: [], size: 1, page: null, whole: {}, latest: true },
    ...{ requested: 'aa', ends: null },
  } as const;
  return {
    kind: 'made',
    made: { at, checkId: 'check', outcome: 'ok', ...seen, ...phases },
    accepted: { at, failing: null, evidence: { ...evidence, page: null } },
    answer: {
      url: 'https://example.com/',
      httpVersion: '1.1',
      status: 200,
      statusText: 'OK',
      headers: [['Content-Type', contentType]],
      redirectedBy: null,
      body: typeof page === 'string' ? Buffer.from(page) : page,
      cut: false,
    },
    outcome: { url: 'https://example.com/', hops: [], phases: NO_PHASES, certificate: null, address: null, ...ANSWERED },
    exchange: noExchange,
  };
}

const exchangeAt = (at: number) => () => {
  const outcome = { ...REFUSED, url: 'https://example.com/', hops: [], phases: NO_PHASES, certificate: null, address: null };
  return exchangeOf({ kind: 'check', checkId: 'check', at, location: 'eu', outcome, judged: null });
};

function found(seconds: number, outcome: 'ok' | 'error'): RunResult {
  const run = passed('');
  if (run.kind !== 'made') throw new Error('expected a run with a result');
  const at = Date.UTC(2026, 0, 1) + seconds * 1000;
  const failures = outcome === 'ok' ? [] : ['expected status 200, got 500'];
  const failing = outcome === 'ok' ? null : ({ status: 'error', rules: ['own status eq 0'], failures } as const);
  const evidence = { ...run.accepted.evidence, at: new Date(at).toISOString() };
  return { ...run, made: { ...run.made, at, outcome, failures }, accepted: { at, failing, evidence } };
}

let reported: string[];
let titles: string[];
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): unknown => unhandled.push(reason);
beforeEach(() => {
  [reported, titles] = [[], []];
  process.on('unhandledRejection', onUnhandled);
});
afterEach(() => {
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled.splice(0)).toEqual([]);
});

function start(
  run: () => Promise<RunResult>,
  given: Partial<RunRecorderOptions> = {},
): { readonly fetched: Promise<void>; readonly done: Promise<ExecutedRun> } {
  const handler = new RecordRunHandler(new CommandRunner(new MemoryEventStore()));
  const execute = (command: RecordRun): Promise<unknown> => handler.execute(command);
  const recorder = new RunRecorder({
    runner: { run },
    queue: { add: () => Promise.resolve(true) },
    verdicts: new VerdictKeeper({ commands: { execute }, runs: noRuns, clock: { now: () => 0 }, sleep: () => Promise.resolve() }),
    answers: { keep: () => Promise.resolve() },
    evidence: noEvidence,
    gate: new HostGate(() => Promise.resolve()),
    mutex: new KeyedMutex(),
    fetchLimit: new ConcurrencyLimit(1, { maxQueue: 10 }),
    canDecide: () => true,
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
    onInconclusive: (reason) => reported.push(reason),
    onNotKept: (error) => reported.push(String(error)),
    onRunEnded: () => undefined,
    onTitle: (_project, _check, title) => Promise.resolve(void titles.push(title)),
    ...given,
  });
  return recorder.start({
    projectId: 'project',
    checkId: 'check',
    currentSubject: () => ({ watched, check }),
    lease,
    jobId: null,
    chain: null,
    confirming: false,
  });
}

/** Attaches a handler late, as the runs of an area do. */
async function later(done: Promise<ExecutedRun>): Promise<ExecutedRun> {
  await new Promise((wait) => setTimeout(wait, 5));
  return done;
}

describe('a run while the read models are too far behind', () => {
  it('is not begun', async () => {
    let fetches = 0;
    const { done } = start(() => (fetches++, Promise.resolve(passed('ok'))), { canDecide: () => false });
    expect(await done).toEqual({ kind: 'postponed', reason: 'the read models are too far behind' });
    expect(fetches).toBe(0);
  });

  it('that was made before waits for its verdict: it is stored and decided once, and nothing is reported', async () => {
    let isOpen = true;
    let [stored, polls] = [0, 0];
    const close = (): Promise<RunResult> => ((isOpen = false), Promise.resolve(passed('ok')));
    const { done } = start(close, {
      queue: { add: () => (stored++, Promise.resolve(true)) },
      canDecide: () => isOpen,
      sleep: () => Promise.resolve((isOpen = ++polls === 3)),
    });
    expect(await done).toMatchObject({ kind: 'recorded', status: 'ok' });
    expect({ stored, polls, reported }).toEqual({ stored: 1, polls: 3, reported: [] });
  });
});

describe('a run', () => {
  it('shows what it fetched once it was accepted', async () => {
    const shown: unknown[] = [];
    const onAccepted: RunRecorderOptions['onAccepted'] = (projectId, { url }) => Promise.resolve(void shown.push([projectId, url]));
    await start(() => Promise.resolve(passed('ok')), { onAccepted, queue: { add: () => Promise.resolve(false) } }).done;
    expect(shown).toEqual([]);
    await start(() => Promise.resolve(passed('ok')), { onAccepted }).done;
    expect(shown).toEqual([['project', 'https://example.com/']]);
  });

  it('that throws is inconclusive', async () => {
    const { fetched, done } = start(() => Promise.reject(new Error('the keys are unavailable')));
    await fetched;
    expect(await later(done)).toMatchObject({ kind: 'inconclusive' });
    expect(reported).toEqual(['the run could not be executed: Error: the keys are unavailable']);
  });

  it('refused by the concurrency limit is postponed, and not reported', async () => {
    const full = { run: () => Promise.reject(new QueueFull()) };
    const { fetched, done } = start(() => Promise.resolve(passed('')), { fetchLimit: full });
    await fetched;
    expect(await done).toMatchObject({ kind: 'postponed' });
    expect(reported).toEqual([]);
  });

  it('counts although naming the check fails', async () => {
    const { done } = start(() => Promise.resolve(passed('<title>Shop</title>')), { onTitle: () => Promise.reject(new Error('deleted')) });
    expect(await later(done)).toMatchObject({ kind: 'recorded', status: 'ok' });
  });

  it('names an unnamed check after the title of its page, without control characters', async () => {
    await start(() => Promise.resolve(passed(`<title>A\u0000 shop</title>`))).done;
    await start(() => Promise.resolve(passed(`<title>${'x'.repeat(198)}😀 and more</title>`))).done;
    await start(() => Promise.resolve(passed('<title>\u0001</title>'))).done;
    expect(titles).toEqual(['A shop', `${'x'.repeat(198)}…`]);
  });

  it('reads the title from the first 512 KiB only', async () => {
    await start(() => Promise.resolve(passed(`<title>Early</title>${'x'.repeat(600_000)}`))).done;
    await start(() => Promise.resolve(passed(`${'x'.repeat(600_000)}<title>Late</title>`))).done;
    expect(titles).toEqual(['Early']);
  });

  it('of unknown fate is read from the store by the repeated run', async () => {
    const stored: MadeRun[] = [];
    const handler = new RecordRunHandler(new CommandRunner(new MemoryEventStore()));
    const recorded: string[] = [];
    const execute = async (command: RecordRun): Promise<unknown> => {
      const decided = await handler.execute(command);
      recorded.push(decided.verdict.standing.kind);
      return decided;
    };
    const verdicts = new VerdictKeeper({
      commands: { execute },
      runs: { ...noRuns, between: (_, from, to) => Promise.resolve(stored.filter(({ at }) => at >= from && at < to)) },
      clock: { now: () => 0 },
      sleep: () => Promise.resolve(),
    });
    let answers: (boolean | Error)[] = [];
    const add = (_lease: unknown, _project: string, run: MadeRun): Promise<boolean> => {
      stored.push(run);
      const answer = answers.shift() ?? true;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    const make = (seconds: number, outcome: 'ok' | 'error'): Promise<ExecutedRun> =>
      start(() => Promise.resolve(found(seconds, outcome)), { verdicts, queue: { add } }).done;
    await make(0, 'ok');
    answers = [new Error('unavailable')];
    expect(await make(60, 'error')).toMatchObject({ kind: 'inconclusive' });
    await make(100, 'error');
    expect(recorded).toEqual(['ok', 'failing']);
  });

  it('decodes the title in the charset of the page, and reads none from plain text', async () => {
    await start(() => Promise.resolve(passed(Buffer.from('<title>\xbe\xe1ba</title>', 'latin1'), 'text/html; charset=iso-8859-2'))).done;
    await start(() => Promise.resolve(passed('A <title>tag</title> in a text', 'text/plain'))).done;
    expect(titles).toEqual(['žába']);
  });

  it('keeps an answer without the values of its cookies', async () => {
    const run = passed('<title>Shop</title>', 'text/html');
    if (run.kind !== 'made' || run.answer === null) throw new Error('expected a run with an answer');
    const headers = [['Set-Cookie', 'sid=5e55101; HttpOnly']] as const;
    let kept: unknown;
    const keep: RunRecorderOptions['answers']['keep'] = (_check, _at, answer) => Promise.resolve(void (kept = answer.headers));
    await start(() => Promise.resolve({ ...run, answer: { ...run.answer, headers } } as RunResult), { answers: { keep } }).done;
    expect(kept).toEqual([['Set-Cookie', 'sid=(hidden); HttpOnly']]);
  });

  describe('that ends in an event', () => {
    let order: string[];
    let kept: string[];
    let urgencies: (boolean | undefined)[];
    let store: MemoryEventStore;
    let verdicts: VerdictKeeper;
    beforeEach(() => {
      [order, kept, urgencies, store] = [[], [], [], new MemoryEventStore()];
      const handler = new RecordRunHandler(new CommandRunner(store));
      const execute = async (command: RecordRun): Promise<unknown> => {
        const decided = await handler.execute(command);
        order.push(...store.events.slice(order.filter((one) => one !== 'kept').length).map(({ type }) => type));
        return decided;
      };
      verdicts = new VerdictKeeper({ commands: { execute }, runs: noRuns, clock: { now: () => 0 }, sleep: () => Promise.resolve() });
    });
    const make = async (seconds: number, how: 'ok' | 'error'): Promise<void> => {
      const keep: ExchangeStore['keep'] = ({ packed, urgent }) =>
        Promise.resolve(void (order.push('kept'), kept.push(packed.sha256), urgencies.push(urgent)));
      const run = found(seconds, how);
      if (run.kind !== 'made') throw new Error('expected a run with a result');
      const evidence = new EvidenceKeeper({ keep }, () => undefined);
      await start(() => Promise.resolve({ ...run, exchange: exchangeAt(run.accepted.at) }), { verdicts, evidence }).done;
    };
    it('keeps the exchange of a failure before the decision, and of an unforeseen event after it', async () => {
      await make(0, 'ok');
      await make(60, 'ok');
      await make(120, 'error');
      await make(140, 'error');
      await make(200, 'ok');
      const failed = ['kept', 'RunStarted', 'CheckSuspected', 'kept', 'CheckFailed', 'kept', 'RunStarted', 'CheckRecovered'];
      expect(order).toEqual(['RunStarted', 'CheckPassed', 'kept', ...failed]);
      const referred = store.events.flatMap(({ data }) => (data as { evidence?: { exchange?: string } }).evidence?.exchange ?? []);
      expect(referred).toEqual(kept);
      expect(urgencies).toEqual([false, true, true, false]);
    });

    it('keeps the exchange of the first run of a check before the decision', async () => {
      verdicts.beginProjects(['project']);
      await new Promise(setImmediate);
      await make(0, 'ok');
      await make(60, 'ok');
      expect(order).toEqual(['kept', 'RunStarted', 'CheckPassed']);
    });
  });

  it('reports what cannot be kept, and decides nevertheless', async () => {
    const keep = (): Promise<never> => Promise.reject(new Error('the object store answered PUT with 403'));
    const evidence = new EvidenceKeeper({ keep }, (error) => reported.push(String(error)));
    const run = found(0, 'error');
    if (run.kind !== 'made') throw new Error('expected a run with a result');
    const done = start(() => Promise.resolve({ ...run, exchange: exchangeAt(run.accepted.at) }), { evidence, answers: { keep } }).done;
    await expect(done).resolves.toMatchObject({ kind: 'recorded', status: 'error' });
    expect(reported.splice(0)).toEqual(Array(2).fill('Error: the object store answered PUT with 403'));
  });
});
