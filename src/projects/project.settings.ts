export const periods = ['5 minutes', '30 minutes', '1 hour', '8 hours', '1 day', '7 days', 'false'] as const;
export type Period = (typeof periods)[number];

export const uptimePeriods = ['false', '15', '30', '60'] as const;
export type UptimePeriod = (typeof uptimePeriods)[number];

/** Sent with every request of a check unless the project has its own. */
export const DEFAULT_USER_AGENT = 'Mozilla/5.0 (compatible; Watchledger/1.0; site monitoring)';

/** The settings that a member with `edit` may change (docs/spec/decisions.md#P6). */
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
  /** Lists choose projects by these, in the order of their author; absent without tags, as in projects from before there were tags. */
  readonly tags?: readonly string[];
  /** The name of the project in site files, which has no other use (docs/spec/beyond.md#B10). */
  readonly key?: string | null;
}

export interface SettingsOfNewProject {
  readonly url: string;
  readonly host: string;
  /** Null for the period of the plan. */
  readonly period: Period | null;
}

/** The settings of a new project (docs/spec/decisions.md#P3, #P5, #P6, #P9). */
export function initialSettings(
  { url, host, period }: SettingsOfNewProject,
  plan: { readonly defaultPeriod: string },
  location: string,
): ProjectSettings {
  const { protocol, port } = new URL(url);
  return {
    title: host,
    url,
    period: period ?? periods.find((known) => known === plan.defaultPeriod) ?? '1 day',
    uptimeUrl: '',
    uptimePeriod: '60',
    location,
    checkDefaultErrors: true,
    userAgent: DEFAULT_USER_AGENT,
    timeout: 3,
    delay: 50,
    sslAlertPeriod: 14,
    httpsRedirectEnabled: protocol === 'https:' && port === '',
    webPushEnabled: false,
    securityMonitoringEnabled: false,
    tags: [],
  };
}

/** Checks changed settings against the plan of the owner and the locations of the installation. */
export function settingsProblems(
  { location, uptimePeriod }: { readonly location?: string | undefined; readonly uptimePeriod?: UptimePeriod | undefined },
  { minUptimePeriod }: { readonly minUptimePeriod: number },
  servedLocations: readonly string[],
): readonly string[] {
  const isTooFrequent = uptimePeriod !== undefined && uptimePeriod !== 'false' && Number(uptimePeriod) < minUptimePeriod;
  return [
    ...(location === undefined || servedLocations.includes(location) ? [] : [`location: "${location}" is not served by this installation`]),
    ...(isTooFrequent ? [`uptimeEnabled: the plan of the owner allows a period of at least ${String(minUptimePeriod)} seconds`] : []),
  ];
}
