import { publicArea, type AreaPeriod } from '../../src/domain/area/settings.ts';
import type { Keyring } from '../../src/base/keyring/keyring.ts';
import type { MemoryEventStore } from '../../src/event-store/memory/memory-event-store.ts';
import type { Sealed } from '../../src/kernel/event.ts';
import { derivedId } from '../../src/kernel/ids.ts';

import { samples } from '../samples/samples.ts';

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
  private projects = 0;

  constructor(
    private readonly store: MemoryEventStore,
    private readonly now: () => number,
  ) {}

  /** Answers the project's id. */
  async project(period: AreaPeriod, count: number, uptimePeriod: '60' | 'false' = 'false'): Promise<string> {
    const index = this.projects++;
    const projectId = hex('project', index);
    const areaId = hex('area', index);
    const apiKey = { subject: 'project', sealed: 'c2VhbGVk' };
    const settings = {
      ...{ title: 'Title', url: `https://site.example/${projectId}`, period: '5 minutes', uptimeUrl: '', uptimePeriod, location: 'eu' },
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
    await this.append(projectId, 'NotificationChannelSwitched', { userId: 1, channel: 'webhook', from: false, to: true });
    await this.append(projectId, 'NotificationSeverityChanged', { userId: 1, from: 1, to: 3 });
    return projectId;
  }

  /** Somebody who owns all projects and has a webhook. */
  async owner(keyring: Keyring): Promise<void> {
    const seal = (text: string): Promise<Sealed> => keyring.seal('account-1', text);
    const account = { ...samples('a').AccountOpened, userId: 1, confirmed: true };
    await this.append('1', 'AccountOpened', { ...account, email: await seal('owner@example.test') }, 'account');
    const values = { url: await seal('https://hooks.example/1'), secret: await seal('whsec_c2VjcmV0') };
    await this.append('1', 'ChannelSet', { channel: 'webhook', values }, 'account');
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

  private async append(id: string, type: string, data: Record<string, unknown>, kind: 'project' | 'account' = 'project'): Promise<void> {
    const stream = `${kind}-${id}`;
    const revision = this.revisions.get(stream) ?? -1;
    const eventId = derivedId('simulation', this.appended++);
    const meta = {
      actor: { kind: 'cli', id: 'simulation' } as const,
      ...{ correlationId: eventId, causationId: null, commandId: eventId, occurredAt: new Date(this.now()).toISOString() },
    };
    const event = { id: eventId, type, version: 1, scope: stream, data, meta };
    const result = await this.store.append(stream, revision < 0 ? 'no stream' : revision, [event]);
    if (result.kind !== 'appended') throw new Error(`${stream} was changed by somebody else`);
    this.revisions.set(stream, result.revision);
  }
}
