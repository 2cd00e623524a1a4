import { publicArea, type AreaPeriod } from '../../src/domain/area/settings.ts';
import type { MemoryEventStore } from '../../src/event-store/memory/memory-event-store.ts';
import { derivedId } from '../../src/kernel/ids.ts';

const hex = (what: string, index: number): string => derivedId(what, index).replaceAll('-', '').slice(0, 24);

export interface PlannedCheck {
  readonly checkId: string;
  readonly areaId: string;
  readonly projectId: string;
  period: AreaPeriod;
  enabled: boolean;
}

/** Projects of one group each, changed by hand now and then. */
export class Plans {
  readonly checks: PlannedCheck[] = [];
  private readonly revisions = new Map<string, number>();
  private appended = 0;

  constructor(
    private readonly store: MemoryEventStore,
    private readonly now: () => number,
  ) {}

  async project(period: AreaPeriod, count: number): Promise<void> {
    const index = this.revisions.size;
    const projectId = hex('project', index);
    const areaId = hex('area', index);
    const apiKey = { subject: 'project', sealed: 'c2VhbGVk' };
    const settings = {
      ...{ title: 'Title', url: 'https://site.example/', period: '5 minutes', uptimeUrl: '', uptimePeriod: 'false', location: 'eu' },
      ...{ checkDefaultErrors: true, userAgent: 'Watchledger', timeout: 10, delay: 50, sslAlertPeriod: 14 },
      ...{ httpsRedirectEnabled: false, webPushEnabled: false, securityMonitoringEnabled: false },
    };
    await this.append(projectId, 'ProjectCreated', { projectId, payerId: 1, apiKey, preset: false, settings });
    await this.append(projectId, 'AreaCreated', { areaId, settings: { ...publicArea, period } });
    for (let number = 0; number < count; number++) {
      const checkId = hex(`check ${String(index)}`, number);
      const options = { '2': false, '6': false, g: false, l: false, w: null };
      const check = {
        name: 'Page',
        url: '/',
        enabled: true,
        notice: '',
        type: 'simple',
        rules: [],
        options,
        template: { id: '', vars: [] },
      };
      await this.append(projectId, 'CheckCreated', { checkId, areaId, settings: check });
      this.checks.push({ checkId, areaId, projectId, period, enabled: true });
    }
  }

  async enable(check: PlannedCheck, enabled: boolean): Promise<void> {
    await this.append(check.projectId, 'CheckSwitched', { checkId: check.checkId, from: check.enabled, to: enabled });
    check.enabled = enabled;
  }

  /** Answers the checks that it concerns. */
  async setPeriod({ areaId, projectId, period: from }: PlannedCheck, period: AreaPeriod): Promise<readonly PlannedCheck[]> {
    await this.append(projectId, 'AreaPeriodChanged', { areaId, from, to: period });
    const own = this.checks.filter((check) => check.areaId === areaId);
    for (const check of own) check.period = period;
    return own;
  }

  private async append(projectId: string, type: string, data: Record<string, unknown>): Promise<void> {
    const revision = this.revisions.get(projectId) ?? -1;
    const id = derivedId('simulation', this.appended++);
    const meta = {
      actor: { kind: 'cli', id: 'simulation' } as const,
      ...{ correlationId: id, causationId: null, commandId: id, occurredAt: new Date(this.now()).toISOString() },
    };
    const event = { id, type, version: 1, scope: `project-${projectId}`, data, meta };
    const result = await this.store.append(`project-${projectId}`, revision < 0 ? 'no stream' : revision, [event]);
    if (result.kind !== 'appended') throw new Error(`the plan of ${projectId} was changed by somebody else`);
    this.revisions.set(projectId, result.revision);
  }
}
