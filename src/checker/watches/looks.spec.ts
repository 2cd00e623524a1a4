import { beforeEach, describe, expect, it } from '@jest/globals';
import { ANSWERED, REFUSED } from '../../../test/support/probe-outcomes.ts';
import { checkerOf, watchedProject } from '../../../test/support/watched-project.ts';
import { QueueFull } from '../../kernel/concurrency-limit.ts';
import type { Lease } from '../../persistence/leases.ts';
import type { RecordCertificateLook, RecordRedirect } from '../../commands/observation.commands.ts';
import type { Inspection, InspectionStore } from '../../observations/inspections/inspection-store.ts';
import type { Checker } from '../checker.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import type { CertificateSeen } from '../probe/certificate.ts';
import type { FetchOutcome } from '../probe/outcome.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { CertificateWatch, turnsOfCertificate } from './certificate-watch.ts';
import { HomepageLook } from './homepage-look.ts';
import { insisting, type LookOptions } from './look.ts';
import { RedirectWatch, turnsOfRedirect } from './redirect-watch.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const lease = { name: 'eu-1', epoch: 1, signal: new AbortController().signal } as unknown as Lease;
const turn = { key: '', kind: '', projectId: 'p', id: 'look', due: NOW };
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
  chain: [],
  problem: null,
  ...changes,
});
let outcome: FetchOutcome;
let asked: string[];
let commands: unknown[];
let once: unknown[][];
let checker: Checker;
let now: number;
let plan: ProjectPlan;
let looked: Inspection[];
beforeEach(() => {
  [asked, commands, now, plan, looked] = [[], [], NOW, watchedProject(), []];
  ({ checker, planned: once } = checkerOf(() => plan));
});
const taken = { accept: (_: unknown, one: Inspection) => (looked.push(one), Promise.resolve(true)) } as unknown as InspectionStore;
const options = (): LookOptions => ({
  prober: { fetch: ({ url }: { url: string }) => (asked.push(url), Promise.resolve(outcome)) },
  commands: { execute: (command: unknown) => (commands.push(command), Promise.resolve()) },
  clock: { now: () => now },
  atOnce: new ConcurrencyLimit(1, { maxQueue: 10 }),
  onOwnTrouble: () => undefined,
});

describe('a look that could not be made', () => {
  const watches = {
    redirect: (given: LookOptions) => new RedirectWatch(given, {} as unknown as InspectionStore),
    certificate: (given: LookOptions) => new CertificateWatch(given, {} as unknown as InspectionStore),
    homepage: (given: LookOptions) => new HomepageLook(given),
  };

  it.each(Object.entries(watches))('at a %s is made soon, whether there was no room or the trouble was ours', async (kind, watch) => {
    plan = { ...plan, project: { ...plan.project, isWordPress: null } };
    outcome = { ...answered('https://site.example/'), kind: 'inconclusive', reason: 'no file handle' };
    await watch(options()).carry(checker)(turn, lease);
    await watch({ ...options(), atOnce: { run: () => Promise.reject(new QueueFull()) } }).carry(checker)(turn, lease);
    expect(commands).toEqual([]);
    expect(once).toEqual([1, 2].map(() => [kind, 'p', 'look', expect.any(Number)]));
    for (const [, , , due] of once) expect(Number(due) - NOW).toBeLessThan(60_000);
  });
});

describe('looking at a redirect', () => {
  const look = async (held = true) => {
    const looks = { accept: (_: unknown, one: Inspection) => (looked.push(one), Promise.resolve(held)) } as unknown as InspectionStore;
    await new RedirectWatch(options(), looks).carry(checker)(turn, lease);
    return commands.map((command) => (command as RecordRedirect).answer);
  };

  it('asks the http version, and tells where it ended', async () => {
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

  it('takes who sent us on for somebody who answered', async () => {
    outcome = refused('https://site.example/shop', { hops: [{}] });
    expect(await look()).toEqual([{ kind: 'answered', finalUrl: 'https://site.example/shop' }]);
    commands.length = 0;
    outcome = refused('http://site.example/shop');
    expect(await look()).toEqual([{ kind: 'silent', reason: 'the connection was refused' }]);
  });

  it('takes for somebody who answered whose answer leads where nobody goes, or does not end', async () => {
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

  it('tells nothing when the shard was lost, when it is switched off, or when the trouble is ours', async () => {
    outcome = answered('https://site.example/shop');
    expect(await look(false)).toEqual([]);
    outcome = { ...journey, url: '', kind: 'inconclusive', reason: 'no file handle' };
    expect(await look()).toEqual([]);
    plan = watchedProject({ httpsRedirectEnabled: false });
    expect(await look()).toEqual([]);
    expect(
      [watchedProject(), plan, watchedProject({ url: 'https://site.example:8443' })].map((one) => turnsOfRedirect(one).length),
    ).toEqual([1, 0, 0]);
  });
});

describe('looking at a certificate', () => {
  const looks = () => commands.map((command) => (command as RecordCertificateLook).look);

  it('tells what was shown, and why nothing was', async () => {
    const watch = new CertificateWatch(options(), taken);
    outcome = answered('https://site.example/shop', { certificate: certificate() });
    await watch.carry(checker)(turn, lease);
    outcome = refused('https://site.example/shop');
    await watch.carry(checker)(turn, lease);
    expect(looks()).toMatchObject([
      { kind: 'seen', certificate: { host: 'site.example', port: 443, fingerprint: 'aa', problem: null } },
      { kind: 'failed', host: 'site.example', port: 443, reason: 'the connection was refused' },
    ]);
    expect([watchedProject(), watchedProject({ url: 'http://site.example' })].map((one) => turnsOfCertificate(one).length)).toEqual([1, 0]);
  });

  it('takes notice of another certificate that a probe passes by, once, and of the same once an hour', async () => {
    const watch = new CertificateWatch(options(), taken);
    const pass = (seen: CertificateSeen, changes: object = {}) =>
      watch.passedBy(checker, plan, answered('https://site.example/', { certificate: seen, ...changes }));
    for (const fingerprint of ['aa', 'aa', 'bb', 'bb']) await pass(certificate({ fingerprint }));
    expect(looks()).toHaveLength(2);
    await pass(certificate({ fingerprint: 'cc' }), { hops: [{}] });
    await pass(certificate({ fingerprint: 'cc' }), { url: 'https://elsewhere.example/' });
    expect(looks()).toHaveLength(2);
    now += 3_600_000;
    await pass(certificate({ fingerprint: 'bb' }));
    expect(looks()).toHaveLength(3);
  });

  it('looks at the very moment when a certificate ends or its alert period begins', async () => {
    const watch = new CertificateWatch(options(), taken);
    const see = async (left: number) => {
      outcome = answered('https://site.example/shop', { certificate: certificate({ validTo: new Date(NOW + left).toISOString() }) });
      await watch.carry(checker)(turn, lease);
      return once.splice(0).map(([, , , at]) => Number(at) - NOW);
    };
    expect([await see(60 * DAY), await see(15.5 * DAY), await see(10 * DAY), await see(DAY / 2)]).toEqual([
      [],
      [DAY / 2 + 1000],
      [],
      [DAY / 2 + 1000],
    ]);
  });

  it('forgets no such moment because a look came to nothing', async () => {
    const watch = new CertificateWatch(options(), taken);
    outcome = answered('https://site.example/shop', { certificate: certificate({ validTo: new Date(NOW + DAY).toISOString() }) });
    await watch.carry(checker)(turn, lease);
    once.length = 0;
    outcome = refused('https://site.example/shop');
    await watch.carry(checker)(turn, lease);
    expect(once).toEqual([['certificate', 'p', 'look', NOW + DAY + 1000]]);
  });

  it('leaves being past its end to the clock', async () => {
    outcome = refused('https://site.example/shop', {
      certificate: certificate({ validTo: new Date(NOW).toISOString(), problem: 'it expired on 2026-01-01' }),
    });
    await new CertificateWatch(options(), taken).carry(checker)(turn, lease);
    expect(looks()).toMatchObject([{ kind: 'seen', certificate: { problem: null } }]);
  });
});

it('what was found and could not be written down is looked for again soon', async () => {
  const away = new Error('the database is away');
  const carry = insisting(checker, 'redirect', { now: () => NOW }, () => Promise.reject(away));
  await expect(carry(turn, lease)).rejects.toBe(away);
  expect(once).toEqual([['redirect', 'p', 'look', expect.any(Number)]]);
});

it('looks at the site that a project has moved to while the one before was looked at, at once', async () => {
  const carry = insisting(checker, 'certificate', { now: () => NOW }, () => {
    plan = watchedProject({ url: 'https://elsewhere.example' });
    return Promise.resolve();
  });
  await carry(turn, lease);
  expect(once).toEqual([['certificate', 'p', 'look', expect.any(Number)]]);
  expect(Number(once[0]?.[3]) - NOW).toBeLessThan(5_000);
  await carry(turn, lease);
  expect(once).toHaveLength(1);
});
