export const periods = ['5 minutes', '30 minutes', '1 hour', '8 hours', '1 day', '7 days', 'false'] as const;
export type Period = (typeof periods)[number];

export const uptimePeriods = ['false', '15', '30', '60'] as const;
export type UptimePeriod = (typeof uptimePeriods)[number];

export const locations = ['eu', 'de', 'gb', 'ca', 'us', 'tx', 'dc', 'sg', 'hk'] as const;

/** What a member with `edit` may change (docs/spec/decisions.md#P6). */
export interface ProjectSettings {
  readonly title: string;
  readonly url: string;
  readonly period: Period;
  readonly uptimeUrl: string;
  readonly uptimePeriod: UptimePeriod;
  readonly location: string;
  readonly checkDefaultErrors: boolean;
  readonly userAgent: string;
  readonly timeout: number;
  readonly delay: number;
  readonly sslAlertPeriod: number;
  readonly httpsRedirectEnabled: boolean;
  readonly webPushEnabled: boolean;
  readonly securityMonitoringEnabled: boolean;
}
