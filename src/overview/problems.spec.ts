import { expect, it } from '@jest/globals';
import { MemoryEventStore } from '../../test/support/memory/memory-event-store.ts';
import { MemoryViews } from '../../test/support/memory-views.ts';
import { samples } from '../../test/samples/samples.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { ProjectList } from '../projects/project-list.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { randomId } from '../kernel/ids.ts';
import { initialSettings, type ProjectSettings } from '../projects/project.settings.ts';
import { OverviewReading } from './overview-reading.ts';
import { problemsOf, type WatchedFacts } from './problems.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const settings = initialSettings(
  { url: 'https://shop.example.com/', host: 'shop.example.com', period: null },
  { defaultPeriod: '1 hour' },
  'eu',
);
const having = (more: Partial<ProjectSettings>): { readonly settings: ProjectSettings } => ({ settings: { ...settings, ...more } });
const project = having({});
const nothing: WatchedFacts = { uptime: null, certificate: null, redirect: null, checks: [] };
const certificate = (validTo: string): WatchedFacts['certificate'] => ({
  certificate: { host: 'shop.example.com', port: 443, fingerprint: 'aa', validFrom: '2026-09-01T00:00:00Z', validTo, problem: null },
  failure: null,
  seenAt: '2026-11-20T00:00:00Z',
});

it('finds nothing where nothing was measured', () => {
  expect(problemsOf(project, nothing, now)).toEqual([]);
});

it('calls a site that is down failing since its first failing probe, unless its uptime is not watched any more', () => {
  const uptime = { state: 'down', since: '2026-11-21T09:00:00Z', suspectedSince: null, unstableSince: null } as const;
  expect(problemsOf(project, { ...nothing, uptime }, now)).toMatchObject([{ kind: 'uptime', severity: 'failing', since: uptime.since }]);
  expect(problemsOf(having({ uptimePeriod: 'false' }), { ...nothing, uptime }, now)).toEqual([]);
});

it.each([
  ['2026-11-24T10:00:00Z', 'warning', 'the certificate expires in 3 days'],
  ['2026-11-22T10:00:00Z', 'warning', 'the certificate expires in 1 day'],
  ['2026-11-21T09:59:59Z', 'failing', 'the certificate has expired'],
])('says of a certificate that is valid until %s: %s', (validTo, severity, sentence) => {
  expect(problemsOf(project, { ...nothing, certificate: certificate(validTo) }, now)).toMatchObject([{ severity, sentence }]);
});

it('says nothing of a certificate that lasts longer than its project warns before, or than 30 days', () => {
  expect(problemsOf(project, { ...nothing, certificate: certificate('2026-12-10T10:00:00Z') }, now)).toEqual([]);
  expect(problemsOf(having({ sslAlertPeriod: 365 }), { ...nothing, certificate: certificate('2027-02-10T10:00:00Z') }, now)).toEqual([]);
});

it('warns of a redirect that does not lead to https, as long as it is watched', () => {
  const redirect = { status: 'failed', url: 'http://shop.example.com/', finalUrl: null, since: '2026-11-01T00:00:00Z' } as const;
  const [found] = problemsOf(project, { ...nothing, redirect }, now);
  expect(found?.sentence).toBe('http://shop.example.com/ does not lead to https');
  expect(problemsOf(having({ httpsRedirectEnabled: false }), { ...nothing, redirect }, now)).toEqual([]);
});

it('counts every project once: with a problem, else in maintenance, else unknown while nothing is known, and one of uptime alone as the others', async () => {
  const store = new MemoryEventStore();
  const append = (id: string, ...types: readonly ('ProjectCreated' | 'UptimeBegan' | 'UptimeWentDown' | 'MaintenanceScheduled')[]) => {
    const [known, scope, commandId, occurredAt] = [samples(id), projectStream(id), randomId(), new Date().toISOString()];
    const MaintenanceScheduled = { ...known.MaintenanceScheduled, from: occurredAt, to: '2999-01-01T00:00:00.000Z', repeat: null };
    const meta = { actor: { kind: 'checker', id: 'c' }, correlationId: commandId, causationId: null, commandId, occurredAt } as const;
    const events = types.map((type) => {
      const data = { ...known, MaintenanceScheduled }[type];
      return { id: crypto.randomUUID(), type, version: 1, scope, meta, data };
    });
    return store.append(scope, 'no stream', events);
  };
  const idOf = (digit: number): string => String(digit).repeat(24);
  await append(idOf(1), 'ProjectCreated');
  await append(idOf(2), 'ProjectCreated', 'UptimeBegan');
  await append(idOf(3), 'ProjectCreated', 'UptimeWentDown');
  await append(idOf(4), 'ProjectCreated', 'MaintenanceScheduled');
  await append(idOf(5), 'ProjectCreated', 'UptimeWentDown', 'MaintenanceScheduled');
  const views = new MemoryViews(() => store.events);
  // The present needs no list.
  const reading = new OverviewReading(views, {} as ProjectList);
  const everything = { userId: 1, systemRole: 'auditor', limits: null } as Principal;
  const { problems, ...counts } = await reading.ofAll(everything);
  expect(counts).toEqual({ total: 5, inMaintenance: 1, unknown: 1, isComplete: true });
  expect(problems.map(({ project: { id } }) => id[0])).toEqual(['3', '5']);
});
