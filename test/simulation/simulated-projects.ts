import { type AreaPeriod, publicArea } from '../../src/projects/areas/area.settings.ts';
import type { Events, EventType } from '../../src/events.ts';
import type { MemoryEventStore } from '../support/memory/memory-event-store.ts';
import { derivedId } from '../../src/kernel/ids.ts';
import { StateHistory } from './state-history.ts';
import { PERIODS } from './time-limits.ts';
import { LOCATIONS } from './virtual-time.ts';
import { projectStream } from '../../src/kernel/stream-names.ts';

const hex = (what: string, index: number): string => derivedId(what, index).replaceAll('-', '').slice(0, 24);

export interface PlannedCheck {
  readonly checkId: string;
  readonly areaId: string;
  readonly projectId: string;
  period: AreaPeriod;
  enabled: boolean;
  /** Deleted checks are not changed again. */
  deleted: boolean;
  /** Milliseconds between checks; null while there are none. */
  readonly every: StateHistory<number | null>;
}

export interface PlannedProject {
  readonly projectId: string;
  readonly areaId: string;
  readonly isProbed: boolean;
  readonly isRedirectWatched: boolean;
}

export interface Wanted {
  readonly period: AreaPeriod;
  readonly checks: number;
  readonly isProbed?: boolean;
  readonly isRedirectWatched?: boolean;
  readonly delay?: number;
}

const settingsOf = (title: string, url: string): Events['ProjectCreated']['settings'] => ({
  ...{ title, url, period: '5 minutes', uptimeUrl: '', location: 'eu', uptimePeriod: 'false', checkDefaultErrors: true },
  ...{ userAgent: 'Watchledger', timeout: 10, delay: 0, sslAlertPeriod: 14, httpsRedirectEnabled: false, webPushEnabled: false },
  securityMonitoringEnabled: false,
});

const checkSettings = (url: string): Events['CheckCreated']['settings'] => ({
  ...{ name: 'Page', url, enabled: true, notice: '', type: 'simple', rules: [], options: UNCHANGED },
  template: { id: '', vars: [] },
});

const UNCHANGED = { '2': false, '6': false, g: false, l: false, w: null } as const;

/** The account whose jobs on slow hosts take as many fetches as they get. */
export const GREEDY = 99;

export interface GreedyProject {
  readonly projectId: string;
  readonly areaId: string;
  readonly checks: readonly { readonly checkId: string }[];
}

/** Projects of one group each, changed by hand now and then. */
export class SimulatedProjects {
  readonly checks: PlannedCheck[] = [];
  readonly projects: PlannedProject[] = [];
  greedy: GreedyProject | null = null;
  private readonly revisions = new Map<string, number>();
  private appended = 0;

  constructor(
    private readonly store: MemoryEventStore,
    private readonly now: () => number,
  ) {}

  /** A project of the greedy account: checks on as many hosts, run by jobs only. No change by hand concerns it. */
  async greedyProject(count: number): Promise<GreedyProject> {
    const [projectId, areaId] = [hex('greedy project', 0), hex('greedy area', 0)];
    const scope = projectStream(projectId);
    const settings = { ...settingsOf('Greedy', 'http://greedy.example/'), uptimePeriod: 'false', httpsRedirectEnabled: false } as const;
    const apiKey = { subject: 'project', sealed: 'c2VhbGVk' };
    await this.append(scope, 'ProjectCreated', { projectId, payerId: GREEDY, apiKey, preset: false, settings });
    await this.append(scope, 'HomepageInspected', { isWordPress: false });
    await this.append(scope, 'AreaCreated', { areaId, settings: { ...publicArea, period: 'false' } });
    const checks = [];
    for (let nth = 0; nth < count; nth++) {
      const checkId = hex('greedy check', nth);
      await this.append(scope, 'CheckCreated', { checkId, areaId, settings: checkSettings(`http://host-${String(nth)}.example/`) });
      checks.push({ checkId });
    }
    return (this.greedy = { projectId, areaId, checks });
  }

  async project({ period, checks, isProbed = false, isRedirectWatched = false, delay = 50 }: Wanted): Promise<PlannedProject> {
    const index = this.projects.length;
    const [projectId, areaId] = [hex('project', index), hex('area', index)];
    const apiKey = { subject: 'project', sealed: 'c2VhbGVk' };
    const settings = {
      ...settingsOf(`Site ${String(index)}`, `https://site.example/${projectId}`),
      location: LOCATIONS[index % 3 === 1 ? 1 : 0] ?? '',
      ...({ uptimePeriod: isProbed ? '60' : 'false', delay, httpsRedirectEnabled: isRedirectWatched } as const),
    };
    const scope = projectStream(projectId);
    const project = { projectId, areaId, isProbed, isRedirectWatched };
    this.projects.push(project);
    await this.append(scope, 'ProjectCreated', { projectId, payerId: 1, apiKey, preset: false, settings });
    // Prevents the analysis of the homepage.
    await this.append(scope, 'HomepageInspected', { isWordPress: false });
    await this.append(scope, 'AreaCreated', { areaId, settings: { ...publicArea, period } });
    for (let number = 0; number < checks; number++) await this.check(project, period);
    await this.append(scope, 'NotificationChannelSwitched', { userId: 1, channel: 'webhook', from: false, to: true });
    await this.append(scope, 'NotificationSeverityChanged', { userId: 1, from: 1, to: 3 });
    return project;
  }

  async check({ projectId, areaId }: PlannedProject, period: AreaPeriod): Promise<PlannedCheck> {
    const checkId = hex('check', this.checks.length);
    await this.append(projectStream(projectId), 'CheckCreated', { checkId, areaId, settings: checkSettings('/') });
    const every = new StateHistory(this.now(), PERIODS[period] ?? null);
    const check = { checkId, areaId, projectId, period, enabled: true, deleted: false, every };
    this.checks.push(check);
    return check;
  }

  async enable(check: PlannedCheck, enabled: boolean): Promise<void> {
    await this.append(projectStream(check.projectId), 'CheckSwitched', { checkId: check.checkId, from: check.enabled, to: enabled });
    check.enabled = enabled;
    this.turned(check);
  }

  async delete(check: PlannedCheck): Promise<void> {
    const { checkId, areaId, projectId } = check;
    await this.append(projectStream(projectId), 'CheckDeleted', { checkId, areaId, name: 'Page' });
    Object.assign(check, { enabled: false, deleted: true });
    this.turned(check);
  }

  /** Answers the checks that it concerns. */
  async setPeriod({ areaId, projectId, period: from }: PlannedCheck, period: AreaPeriod): Promise<readonly PlannedCheck[]> {
    await this.append(projectStream(projectId), 'AreaPeriodChanged', { areaId, from, to: period });
    const own = this.checks.filter((check) => check.areaId === areaId && !check.deleted);
    for (const check of own) {
      check.period = period;
      this.turned(check);
    }
    return own;
  }

  /** Schedules a maintenance window. */
  async maintain(projectId: string, from: number, to: number): Promise<void> {
    const window = { windowId: hex('window', this.appended), from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    await this.append(projectStream(projectId), 'MaintenanceScheduled', { ...window, note: 'new disks', repeat: null, offsetMinutes: 0 });
  }

  async append<Type extends EventType>(scope: string, type: Type, data: Events[Type]): Promise<void> {
    const revision = this.revisions.get(scope) ?? -1;
    const eventId = derivedId('simulation', this.appended++);
    const meta = {
      actor: { kind: 'cli', id: 'simulation' } as const,
      ...{ correlationId: eventId, causationId: null, commandId: eventId, occurredAt: new Date(this.now()).toISOString() },
    };
    const result = await this.store.append(scope, revision < 0 ? 'no stream' : revision, [
      { id: eventId, type, version: 1, scope, data, meta },
    ]);
    if (result.kind !== 'appended') throw new Error(`${scope} has an unexpected conflict`);
    this.revisions.set(scope, result.revision);
  }

  private turned({ every, enabled, period }: PlannedCheck): void {
    every.turn(this.now(), enabled ? (PERIODS[period] ?? null) : null);
  }
}
