import type { ProjectSettings } from '../../src/projects/project.settings.ts';

/** Project settings for a spec that does not depend on them. */
export const projectSettings: ProjectSettings = {
  title: 'Example',
  url: 'https://example.com',
  period: '5 minutes',
  uptimeUrl: '',
  uptimePeriod: '60',
  location: 'eu',
  checkDefaultErrors: true,
  userAgent: 'Watchledger',
  timeout: 3,
  delay: 50,
  sslAlertPeriod: 14,
  httpsRedirectEnabled: true,
  webPushEnabled: false,
  securityMonitoringEnabled: false,
};
