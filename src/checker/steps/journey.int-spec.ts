import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { memoryTail } from '../../../test/support/memory/memory-tail.ts';
import { compiledWorker } from '../../../test/support/compiled-worker.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { noEvidence } from '../../../test/support/no-evidence.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { type Site, startHttp } from '../../../test/support/servers/site.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { RecordRun, RecordRunHandler, type SkipRun, SkipRunHandler } from '../verdicts/verdict.commands.ts';
import { bindHeaders } from '../../projects/checks/bound-headers.ts';
import { presetCheck } from '../../projects/checks/preset.ts';
import type { CheckOptions } from '../../projects/checks/check.settings.ts';
import { verdictTarget } from '../verdicts/verdict.state.ts';
import { systemClock } from '../../kernel/clock.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import type { Exchange } from '../../platform/observations/exchanges/exchange.ts';
import type { MadeRun } from '../../platform/observations/runs/run-store.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { JobRow } from '../jobs/job.view.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { CheckTurns } from '../checks/check-turns.ts';
import { Judge } from '../judging/judge.ts';
import { Prober } from '../probe/prober.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import { CheckRunner } from '../runs/check-runner.ts';
import { HostGate } from '../runs/host-gate.ts';
import { RunRecorder } from '../runs/run-recorder.ts';
import { VerdictKeeper } from '../verdicts/verdict-keeper.ts';

const TOKEN = 's3cret/"tok+en".with=odd&characters';
const lease = { signal: new AbortController().signal } as unknown as Lease;
const keyring = new MemoryKeyring();
const judge = new Judge({ entry: compiledWorker(new URL('../judging/judge-worker.ts', import.meta.url)), threads: 1 });
afterAll(() => judge.close());

let site: Site;
let other: Site;
let asked: string[];
let login: (response: ServerResponse) => void;
beforeAll(async () => {
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { authorization = '' } = request.headers;
      asked.push(`${request.method ?? ''} ${request.url ?? ''} ${authorization} ${body}`.trimEnd());
      response.setHeader('content-type', 'application/json');
      if (request.url === '/login') login(response);
      else if (authorization !== `Bearer ${TOKEN}`) response.writeHead(401).end(`{"denied":${JSON.stringify(authorization)}}`);
      else if (request.url === '/cart') response.setHeader('x-cart', 'c 1').end(JSON.stringify({ for: TOKEN }));
      else response.end('{"items":2}');
    });
  };
  [site, other] = await Promise.all([startHttp(listener), startHttp(listener)]);
});
afterAll(() => Promise.all([site.close(), other.close()]));

let checks: Map<string, CheckRow>;
let made: MadeRun[];
let kept: StoredAnswer[];
let exchanges: Exchange[];
let store: MemoryEventStore;
let turns: CheckTurns;
let later: string[];

async function step(id: string, url: string, options: Partial<CheckOptions>, header = ''): Promise<void> {
  const preset = presetCheck(id, url, 'simple', [{ type: 'status', op: 'eq', val: '200', origin: '', templateId: '', order: 0 }]);
  const w = header === '' ? null : await keyring.seal('p', bindHeaders({ origin: new URL(url, site.url).origin, lines: header }));
  const settings = { ...preset, options: { ...preset.options, w, ...options } };
  checks.set(id, { id, projectId: 'p', areaId: 'a', settings, order: checks.get(id)?.order ?? checks.size });
}

const BEARER = 'Authorization: Bearer {{token}}';
const cartId = [{ name: 'cart', from: 'header:x-cart', secret: false }];

beforeEach(async () => {
  [asked, made, kept, exchanges, later] = [[], [], [], [], []];
  checks = new Map();
  store = new MemoryEventStore();
  login = (response) => response.end(JSON.stringify({ token: TOKEN }));
  await step('login', '/login', { method: 'POST', extract: [{ name: 'token', from: 'json:$.token' }] });
  await step('cart', '/cart', { uses: ['token'], extract: cartId }, BEARER);
  const body = await keyring.seal('p', bindHeaders({ origin: site.url, lines: '{"cart":"{{cart}}"}' }));
  await step('order', '/order/{{cart}}', { uses: ['token', 'cart'], method: 'POST', contentType: 'application/json', body }, BEARER);
  const project = {
    ...{ id: 'p', payerId: 1, preset: false, createdAt: '2026-01-01T00:00:00.000Z', isWordPress: null },
    ...{ members: [], invitations: [], transfer: null, apiKey: { subject: 'p', sealed: '' } },
    settings: { ...projectSettings, url: site.url, timeout: 20, delay: 0 },
  };
  const watched = (): WatchedProject => ({ project, areas: new Map(), checks });
  const runner = new CommandRunner(store);
  const handlers = { record: new RecordRunHandler(runner), skip: new SkipRunHandler(runner) };
  const execute = (command: RecordRun | SkipRun): Promise<unknown> =>
    command instanceof RecordRun ? handlers.record.execute(command) : handlers.skip.execute(command);
  const recorder = new RunRecorder({
    runner: new CheckRunner({
      prober: new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) }),
      judge,
      keyring,
      clock: systemClock,
      haveEnded: () => Promise.resolve(false),
    }),
    queue: { add: (_lease, _project, run) => Promise.resolve(made.push(run) > 0) },
    verdicts: new VerdictKeeper({
      commands: { execute },
      runs: { between: () => Promise.resolve([]), tail: () => Promise.resolve(memoryTail(new Map())) },
      sleep: () => Promise.resolve(),
      clock: systemClock,
    }),
    answers: { keep: (_check, _at, answer) => Promise.resolve(void kept.push(answer as StoredAnswer)) },
    onNotKept: () => undefined,
    evidence: { begin: (given) => (exchanges.push(given.exchange()), noEvidence.begin(given)) },
    gate: new HostGate(() => Promise.resolve()),
    mutex: new KeyedMutex(),
    fetchLimit: new ConcurrencyLimit(10, { maxQueue: 10 }),
    canDecide: () => true,
    sleep: () => Promise.resolve(),
    onInconclusive: () => undefined,
    onRunEnded: () => undefined,
    onTitle: () => Promise.resolve(),
  });
  const scheduleOnce = ({ kind, subjectId }: { kind: string; subjectId: string | null }): void =>
    void later.push(`${kind} ${subjectId ?? ''}`);
  turns = new CheckTurns({
    checker: { projects: { get: watched }, canDecide: () => true, leaseOf: () => lease, scheduleOnce },
    ...{ recorder, signIn: { signIn: () => Promise.resolve(undefined) }, clock: systemClock, onFormFound: () => Promise.resolve() },
  });
});

/** Everything about the runs that would be stored. */
const stored = (): string =>
  JSON.stringify([made, exchanges]) +
  JSON.stringify(kept.map((answer) => ({ ...answer, body: Buffer.from(answer.body).toString() }))) +
  eventsText();
const eventsText = (): string => JSON.stringify(store.events);

afterEach(() => {
  for (const part of [TOKEN, encodeURIComponent(TOKEN), JSON.stringify(TOKEN).slice(1, -1), TOKEN.slice(0, 12)])
    expect(stored()).not.toContain(JSON.stringify(part).slice(1, -1));
});

const runGroup = (): Promise<void> => turns.runArea({ kind: 'area', projectId: 'p', subjectId: 'a', due: 0 }, lease);
const verdicts = (): string[] => made.map(({ checkId, outcome }) => `${checkId} ${outcome}`);
const skips = async (): Promise<(string | undefined)[]> =>
  Promise.all([...checks.keys()].map(async (id) => (await new CommandRunner(store).read(verdictTarget('p', id))).skipped?.reason));
const WHOLE = ['POST /login', `GET /cart Bearer ${TOKEN}`, `POST /order/c%201 Bearer ${TOKEN} {"cart":"c 1"}`];

it('runs the steps of a group in order, each with the values of those before it, and stores no secret', async () => {
  await runGroup();
  expect(asked).toEqual(WHOLE);
  expect(verdicts()).toEqual(['login ok', 'cart ok', 'order ok']);
  expect(exchanges.map(({ request }) => request?.headers.find(([name]) => name === 'Authorization')?.[1])).toEqual([undefined, null, null]);
  expect(kept.map(({ body }) => Buffer.from(body).toString())).toEqual(['{"for":"********"}', '{"items":2}']);
});

it('fails the step that gives no value, and skips those that need it until it does', async () => {
  login = (response) => response.end('{"message":"Try again"}');
  await runGroup();
  expect(asked).toEqual(['POST /login']);
  expect(made.map(({ checkId, failures }) => [checkId, failures])).toEqual([
    ['login', ['Expected json:$.token to give `token`, but found no value']],
  ]);
  expect(await skips()).toEqual([undefined, 'not run: step "login" gave no `token`', 'not run: step "login" gave no `token`']);
  login = (response) => response.end(JSON.stringify({ token: TOKEN }));
  await runGroup();
  expect(verdicts().slice(1)).toEqual(['login ok', 'cart ok', 'order ok']);
  expect(await skips()).toEqual([undefined, undefined, undefined]);
});

it('fetches the earlier steps first when a step is run alone, without a verdict on them', async () => {
  await turns.runCheck({ kind: 'confirm', projectId: 'p', subjectId: 'order', due: 0 }, lease);
  expect([asked, verdicts()]).toEqual([WHOLE, ['order ok']]);
});

it('runs each step of a job once, and those that the job leaves out before it', async () => {
  const job = (jobId: string) => ({ request: { jobId, projectId: 'p', checkIds: [] }, chain: null, end: null }) as unknown as JobRow;
  await Promise.all([...checks.keys()].map((id) => turns.runForJob(id, job('all'), lease)));
  expect([asked, verdicts()]).toEqual([WHOLE, ['login ok', 'cart ok', 'order ok']]);
  [asked, made] = [[], []];
  await Promise.all(['cart', 'order'].map((id) => turns.runForJob(id, job('two'), lease)));
  expect([asked, verdicts()]).toEqual([WHOLE, ['cart ok', 'order ok']]);
});

it('skips a step whose giver is disabled or gone', async () => {
  const giver = checks.get('login')!;
  checks.set('login', { ...giver, settings: { ...giver.settings, enabled: false } });
  await runGroup();
  expect([asked, await skips()]).toEqual([
    [],
    [undefined, 'not run: step "login", which gives `token`, is disabled', 'not run: step "login", which gives `token`, is disabled'],
  ]);
  checks.delete('login');
  await turns.runCheck({ kind: 'again', projectId: 'p', subjectId: 'cart', due: 0 }, lease);
  expect(await skips()).toEqual(['not run: no earlier step gives `token`', expect.anything()]);
});

it('sends a value to another site only where its extraction allows it', async () => {
  await step('order', `${other.url}/order`, { uses: ['token'] }, BEARER);
  await runGroup();
  expect(asked).toEqual(WHOLE.slice(0, 2));
  expect((await skips())[2]).toBe(`not run: \`token\` is from ${site.url}, and step "login" does not allow to send it to ${other.url}`);
  await step('login', '/login', { method: 'POST', extract: [{ name: 'token', from: 'json:$.token', origins: [other.url] }] });
  await runGroup();
  expect(asked.slice(-1)).toEqual([`GET /order Bearer ${TOKEN}`]);
});

it('skips a step whose value would add a header', async () => {
  login = (response) => response.end(JSON.stringify({ token: 'a\r\nX-Admin: 1' }));
  await runGroup();
  expect(asked).toEqual(['POST /login']);
  expect((await skips())[1]).toBe('not run: a value has a control character, which a header cannot carry');
});

it('masks a value in the url and in the answer of a step, also of one that is run again alone', async () => {
  checks.delete('order');
  await step('cart', '/denied?t={{token}}', { uses: ['token'] }, 'Authorization: {{token}}');
  await runGroup();
  expect(verdicts()).toEqual(['login ok', 'cart error']);
  expect(made[1]).toMatchObject({ httpStatus: 401, whole: { request: { url: `${site.url}/denied?t=********` } } });
  await turns.runCheck({ kind: 'again', projectId: 'p', subjectId: 'cart', due: 0 }, lease);
  expect([verdicts().slice(2), asked.length, later]).toEqual([['cart error'], 4, []]);
});
