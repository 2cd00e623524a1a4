import type { NewEvent } from '../../src/kernel/event.ts';
import { derivedId } from '../../src/kernel/ids.ts';

/** The event that creates a project without groups, with one site and this uptime period. */
export function projectCreated(projectId: string, url: string, uptimePeriod: '15' | '30' | '60' | 'false'): NewEvent {
  const id = derivedId('bench project', projectId);
  return {
    id,
    type: 'ProjectCreated',
    version: 1,
    scope: `project-${projectId}`,
    data: {
      projectId,
      payerId: 1,
      apiKey: { subject: 'project', sealed: 'c2VhbGVkIHdpdGggYSBrZXkgb2YgdGhlIHByb2plY3Q=' },
      preset: false,
      settings: {
        ...{ title: 'Title', url, period: 'false', uptimeUrl: '', uptimePeriod, location: 'eu', checkDefaultErrors: true },
        ...{ userAgent: 'Mozilla/5.0 (compatible; Watchledger)', timeout: 10, delay: 0, sslAlertPeriod: 14 },
        ...{ httpsRedirectEnabled: false, webPushEnabled: false, securityMonitoringEnabled: false },
      },
    },
    meta: {
      actor: { kind: 'cli', id: 'bench' },
      correlationId: id,
      causationId: null,
      commandId: id,
      occurredAt: new Date().toISOString(),
    },
  };
}
