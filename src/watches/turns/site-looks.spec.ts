import { beforeEach, describe, expect, it } from '@jest/globals';
import { ANSWERED, REFUSED } from '../../../test/support/probe-outcomes.ts';
import { noEvidence } from '../../../test/support/no-evidence.ts';
import { checkerOf, watchedProject } from '../../../test/support/watched-project.ts';
import { ConcurrencyLimit, QueueFull } from '../../kernel/concurrency-limit.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import type { RecordCertificateLook, RecordRedirect } from '../observation.commands.ts';
import type { Inspection, InspectionStore } from '../../platform/observations/inspections/inspection-store.ts';
import type { CheckerContext } from '../../checker/checker.ts';
import type { WatchedProject } from '../../checker/projects/watched-projects.ts';
import type { CertificateSeen } from '../../checker/probe/certificate.ts';
import type { FetchOutcome } from '../../checker/probe/outcome.ts';
import type { Judge } from '../../checker/judging/judge.ts';
import { readHomepage } from '../../checker/page/homepage.ts';
import { CertificateWatch, certificateTurns } from './certificate-watch.ts';
import { HomepageWatch } from './open-watches.ts';
import { retryOnFailure, siteTurn, type WatchOptions } from './site-look.ts';
import { RedirectWatch, redirectTurns } from './redirect-watch.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const lease = { name: 'eu-1', epoch: 1, signal: new AbortController().signal } as unknown as Lease;
const turn = { ...siteTurn('redirect', 'p'), due: NOW };
const journey = {
  hops: [],
  phases: { dns: 0, connect: 0, tls: 0, request: 0, wait: 0, download: 0, total: 0 },
  certificate: null,
  address: null,
};
const answered = (url: string, changes: object = {}): FetchOutcome => ({ ...journey, url, ...ANSWERED, ...changes });
const refused = (url: string, changes: object = {}): FetchOutcome => ({ ...journey, url, ...REFUSED, ...changes });
const certificate = (changes: Partial<CertificateSeen> = {}): CertificateSeen => ({
  subject: 'CN=site.example',
  issuer: 'CN=CA',
  names: ['site.example'],
  serial: '01',
  validFrom: '2025-12-01T00:00:00.000Z',
  validTo: new Date(NOW + 60 * DAY).toISOString(),
  fingerprint: 'aa',
  key: 'RSA 2048',
  chain: [],
  problem: null,
  ...changes,
});
let outcome: FetchOutcome;
let asked: string[];
let commands: unknown[];
let scheduled: (readonly [turn: object, due: number])[];
let checker: CheckerContext;
let now: number;
let watched: WatchedProject;
let looked: Inspection[];
beforeEach(() => {
  [asked, commands, now, watched, looked] = [[], [], NOW, watchedProject(), []];
  ({ checker, scheduled } = checkerOf(() => watched));
});
const taken = { accept: (_: unknown, one: Inspection) => (looked.push(one), Promise.resolve(true)) } as unknown as InspectionStore;
const options = (): WatchOptions => ({
  checker,
  prober: { fetch: ({ url }: { url: string }) => (asked.push(url), Promise.resolve(outcome)) },
  commands: { execute: (command: unknown) => (commands.push(command), Promise.resolve({ changed: false })) },
  evidence: noEvidence,
  clock: { now: () => now },
  fetchLimit: new ConcurrencyLimit(1, { maxQueue: 10 }),
  onInconclusive: () => undefined,
});

const judge: Pick<Judge, 'inspect'> = {
  inspect: (homepage) => Promise.resolve({ kind: 'inspected', ...readHomepage(homepage) }),
};

describe('an inconclusive look', () => {
  const watches = {
    redirect: (given: WatchOptions) => new RedirectWatch(given, {} as unknown as InspectionStore),
    certificate: (given: WatchOptions) => new CertificateWatch(given, {} as unknown as InspectionStore),
    homepage: (given: WatchOptions) => new HomepageWatch(given, judge),
  };

  it.each(Object.entries(watches))('at a %s is retried soon, also when it was refused by the limit', async (kind, watch) => {
    watched = { ...watched, project: { ...watched.project, isWordPress: null } };
    outcome = { ...answered('https://site.example/'), kind: 'inconclusive', reason: 'no file handle' };
    await watch(options()).handleTurn(turn, lease);
    await watch({ ...options(), fetchLimit: { run: () => Promise.reject(new QueueFull()) } }).handleTurn(turn, lease);
    expect(commands).toEqual([]);
    expect(scheduled).toEqual([1, 2].map(() => [{ kind, projectId: 'p', subjectId: null }, expect.any(Number)]));
    for (const [, due] of scheduled) expect(due - NOW).toBeLessThan(60_000);
  });
});

describe('the look at the homepage', () => {
  it.each([
    [true, [{ url: 'https://site.example/cart', text: 'Cart' }]],
    [false, []],
  ])('collects its links where the project was created with preset checks: %s', async (preset, links) => {
    watched = {
      ...watched,
      project: { ...watched.project, url: 'https://site.example/', isWordPress: null, preset } as typeof watched.project,
    };
    outcome = {
      ...answered('https://site.example/'),
      headers: [['Content-Type', 'text/html']],
      body: Buffer.from('<!doctype html><a href="/cart">Cart</a>'),
    } as FetchOutcome;
    await new HomepageWatch(options(), judge).handleTurn(turn, lease);
    expect(commands).toMatchObject([{ fields: { links } }]);
  });
});

it('retries the look at a homepage that no worker could read', async () => {
  watched = { ...watched, project: { ...watched.project, isWordPress: null } };
  outcome = answered('https://site.example/');
  const crowded = { inspect: () => Promise.resolve({ kind: 'inconclusive', reason: 'crowded' } as const) };
  await new HomepageWatch(options(), crowded).handleTurn(turn, lease);
  expect([commands, scheduled]).toEqual([[], [[siteTurn('homepage', 'p'), expect.any(Number)]]]);
});

describe('the redirect watch', () => {
  const look = async (held = true) => {
    const looks = { accept: (_: unknown, one: Inspection) => (looked.push(one), Promise.resolve(held)) } as unknown as InspectionStore;
    await new RedirectWatch(options(), looks).handleTurn(turn, lease);
    return commands.map((command) => (command as RecordRedirect).fields.answer);
  };

  it('fetches the http URL, and records where it ends', async () => {
    outcome = answered('https://site.example/shop');
    expect(await look()).toEqual([{ kind: 'answered', finalUrl: 'https://site.example/shop' }]);
    expect(asked).toEqual(['http://site.example/shop']);
    expect(looked.at(-1)).toEqual({
      projectId: 'p',
      kind: 'redirect',
      at: NOW,
      url: 'http://site.example/shop',
      finalUrl: 'https://site.example/shop',
    });
  });

  it('counts a redirect as an answer, even if its target fails', async () => {
    outcome = refused('https://site.example/shop', { hops: [{}] });
    expect(await look()).toEqual([{ kind: 'answered', finalUrl: 'https://site.example/shop' }]);
    commands.length = 0;
    outcome = refused('http://site.example/shop');
    expect(await look()).toEqual([{ kind: 'silent', reason: 'the connection was refused' }]);
  });

  it('counts a refused redirect and a body that breaks off as an answer', async () => {
    const url = 'http://site.example/shop';
    outcome = refused(url, { code: 'redirect', reason: 'it redirects to ftp://site.example/, which is not fetched' });
    expect(await look()).toEqual([{ kind: 'answered', finalUrl: url }]);
    commands.length = 0;
    outcome = refused(url, { code: 'body', during: 'download' });
    expect(await look()).toEqual([{ kind: 'answered', finalUrl: url }]);
    commands.length = 0;
    outcome = { ...journey, url, kind: 'timedOut', during: 'download', reason: 'no whole answer within 20 s' };
    expect(await look()).toEqual([{ kind: 'answered', finalUrl: url }]);
    commands.length = 0;
    outcome = { ...journey, url, kind: 'timedOut', during: 'wait', reason: 'no whole answer within 20 s' };
    expect(await look()).toMatchObject([{ kind: 'silent' }]);
  });

  it('records nothing after a lost lease, when switched off, or when inconclusive', async () => {
    outcome = answered('https://site.example/shop');
    expect(await look(false)).toEqual([]);
    outcome = { ...journey, url: '', kind: 'inconclusive', reason: 'no file handle' };
    expect(await look()).toEqual([]);
    watched = watchedProject({ httpsRedirectEnabled: false });
    expect(await look()).toEqual([]);
    expect(
      [watchedProject(), watched, watchedProject({ url: 'https://site.example:8443' })].map((one) => redirectTurns(one).length),
    ).toEqual([1, 0, 0]);
  });
});

describe('the certificate watch', () => {
  const looks = () => commands.map((command) => (command as RecordCertificateLook).fields.look);

  it('records the certificate shown, or why there was none', async () => {
    const watch = new CertificateWatch(options(), taken);
    outcome = answered('https://site.example/shop', { certificate: certificate() });
    await watch.handleTurn(turn, lease);
    outcome = refused('https://site.example/shop');
    await watch.handleTurn(turn, lease);
    expect(looks()).toMatchObject([
      { kind: 'seen', certificate: { host: 'site.example', port: 443, fingerprint: 'aa', problem: null } },
      { kind: 'failed', host: 'site.example', port: 443, reason: 'the connection was refused' },
    ]);
    expect([watchedProject(), watchedProject({ url: 'http://site.example' })].map((one) => certificateTurns(one).length)).toEqual([1, 0]);
  });

  it('records another certificate that a probe sees once, and the same one once an hour', async () => {
    const watch = new CertificateWatch(options(), taken);
    const pass = (seen: CertificateSeen, changes: object = {}) =>
      watch.observe(watched, { ...journey, ...ANSWERED, url: 'https://site.example/', certificate: seen, ...changes });
    for (const fingerprint of ['aa', 'aa', 'bb', 'bb']) await pass(certificate({ fingerprint }));
    expect(looks()).toHaveLength(2);
    await pass(certificate({ fingerprint: 'cc' }), { hops: [{}] });
    await pass(certificate({ fingerprint: 'cc' }), { url: 'https://elsewhere.example/' });
    expect(looks()).toHaveLength(2);
    now += 3_600_000;
    await pass(certificate({ fingerprint: 'bb' }));
    expect(looks()).toHaveLength(3);
  });

  it('schedules a look at the moment when a certificate expires or its alert period begins', async () => {
    const watch = new CertificateWatch(options(), taken);
    const see = async (left: number) => {
      outcome = answered('https://site.example/shop', { certificate: certificate({ validTo: new Date(NOW + left).toISOString() }) });
      await watch.handleTurn(turn, lease);
      return scheduled.splice(0).map(([, due]) => due - NOW);
    };
    expect([await see(60 * DAY), await see(15.5 * DAY), await see(10 * DAY), await see(DAY / 2)]).toEqual([
      [],
      [DAY / 2 + 1000],
      [],
      [DAY / 2 + 1000],
    ]);
  });

  it('keeps the scheduled moment after a failed look', async () => {
    const watch = new CertificateWatch(options(), taken);
    outcome = answered('https://site.example/shop', { certificate: certificate({ validTo: new Date(NOW + DAY).toISOString() }) });
    await watch.handleTurn(turn, lease);
    scheduled.length = 0;
    outcome = refused('https://site.example/shop');
    await watch.handleTurn(turn, lease);
    expect(scheduled).toEqual([[siteTurn('certificate', 'p'), NOW + DAY + 1000]]);
  });

  it('does not record expiry as a problem', async () => {
    outcome = refused('https://site.example/shop', {
      certificate: certificate({ validTo: new Date(NOW).toISOString(), problem: 'it expired on 2026-01-01' }),
    });
    await new CertificateWatch(options(), taken).handleTurn(turn, lease);
    expect(looks()).toMatchObject([{ kind: 'seen', certificate: { problem: null } }]);
  });
});

it('retries a look whose result could not be recorded', async () => {
  const unavailable = new Error('the database is unavailable');
  const handle = retryOnFailure(options(), 'redirect', () => Promise.reject(unavailable));
  await expect(handle(turn, lease)).rejects.toBe(unavailable);
  expect(scheduled).toEqual([[siteTurn('redirect', 'p'), expect.any(Number)]]);
});
