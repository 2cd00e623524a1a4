import { LOCATIONS } from '../kernel/locations.ts';

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

interface InitialValues extends SettingsOfNewProject {
  readonly planPeriod: string;
  readonly location: string;
}

/** How a form asks for a setting. */
interface FormField {
  readonly label: string;
  readonly as: 'text' | 'address' | 'words' | 'number' | 'switch' | 'choice' | 'period';
  readonly options?: readonly string[];
}

interface Setting<Value> {
  readonly initial: (values: InitialValues) => Value;
  /** Its name in a sentence of the history. */
  readonly name: string;
  /** A value in a sentence, where it is not shown as it is. */
  readonly shown?: (value: Exclude<Value, undefined>) => string;
  /** Its field of the API, where that has another name; null where it has none. */
  readonly field?: string | null;
  /** The bounds of a number. */
  readonly within?: readonly [least: number, most: number];
  /** Without one, only the API changes it. */
  readonly form?: FormField;
  /** Its changes are not among the main events of a history. */
  readonly isMinor?: true;
}

/**
 * Each setting, in the order in which a change of several is recorded. Reading, answering, history, forms and imports derive from it; its input is declared in
 * `writable-settings.dto.ts`, its event in `project.events.ts`.
 */
export const settingTable = {
  title: { initial: ({ host }) => host, name: 'Title', form: { label: 'Title', as: 'text' } },
  url: { initial: ({ url }) => url, name: 'Address', form: { label: 'Address', as: 'address' } },
  period: {
    initial: ({ period, planPeriod }) => period ?? periods.find((known) => known === planPeriod) ?? '1 day',
    name: 'Period of the checks',
    shown: (period) => (period === 'false' ? 'only when started' : period),
    form: { label: 'Checks', as: 'period', options: periods },
  },
  uptimeUrl: { initial: () => '', name: 'Address of the uptime probes' },
  uptimePeriod: {
    initial: () => '60',
    name: 'Period of the uptime probes',
    shown: (period) => (period === 'false' ? 'not watched' : `${period} s`),
    field: 'uptimeEnabled',
    form: { label: 'Uptime', as: 'period', options: uptimePeriods },
  },
  location: {
    initial: ({ location }) => location,
    name: 'Location',
    form: { label: 'From', as: 'choice', options: LOCATIONS },
  },
  checkDefaultErrors: { initial: () => true, name: 'Detection of known error pages' },
  userAgent: { initial: () => DEFAULT_USER_AGENT, name: 'User agent' },
  timeout: {
    initial: () => 3,
    name: 'Timeout in seconds',
    within: [1, 60],
    form: { label: 'Seconds that one fetch may take', as: 'number' },
  },
  delay: { initial: () => 50, name: 'Delay between requests in milliseconds', within: [0, 60_000] },
  sslAlertPeriod: {
    initial: () => 14,
    name: 'Certificate alert period in days',
    within: [1, 365],
    form: { label: 'Days before the end of the certificate from which it warns', as: 'number' },
  },
  httpsRedirectEnabled: {
    initial: ({ url }) => {
      const { protocol, port } = new URL(url);
      return protocol === 'https:' && port === '';
    },
    name: 'Monitoring of the redirect to https',
    form: { label: 'http has to lead to https', as: 'switch' },
  },
  webPushEnabled: { initial: () => false, name: 'Browser push', isMinor: true },
  securityMonitoringEnabled: { initial: () => false, name: 'Security monitoring', isMinor: true },
  tags: {
    initial: () => [],
    name: 'Tags',
    shown: (tags) => tags.join(', '),
    form: { label: 'Tags, separated by commas', as: 'words' },
    isMinor: true,
  },
  key: { initial: () => undefined, name: 'Key in site files', field: null, isMinor: true },
} as const satisfies { readonly [Name in keyof ProjectSettings]-?: Setting<ProjectSettings[Name]> };

type SettingTable = typeof settingTable;
export type SettingName = keyof SettingTable;

/** The fields of the API that are settings, by setting. */
type FieldNames = {
  readonly [Name in SettingName as SettingTable[Name] extends { readonly field: null } ? never : Name]: SettingTable[Name] extends {
    readonly field: infer Field extends string;
  }
    ? Field
    : Name;
};
export type SettingField = FieldNames[keyof FieldNames];

/** The rows differ in the type of their values. */
export const settingRows = Object.entries(settingTable) as readonly (readonly [SettingName, Setting<unknown>])[];
const byName = (valueOf: (row: Setting<unknown>, name: SettingName) => unknown): object => {
  const values = settingRows.map(([name, row]): readonly [string, unknown] => [name, valueOf(row, name)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
};

export const settingFields = byName(({ field }, name) => (field === undefined ? name : field)) as FieldNames;

/** The settings of a new project (docs/spec/decisions.md#P3, #P5, #P6, #P9). */
export const initialSettings = (
  site: SettingsOfNewProject,
  { defaultPeriod: planPeriod }: { readonly defaultPeriod: string },
  location: string,
): ProjectSettings => byName(({ initial }) => initial({ ...site, planPeriod, location })) as ProjectSettings;

const settingNames = Object.keys(settingFields);

/** A setting that is younger than the project has the value that it has in a new one. */
export const completeSettings = (settings: ProjectSettings): ProjectSettings =>
  settingNames.every((name) => Object.hasOwn(settings, name))
    ? settings
    : { ...initialSettings({ ...settings, host: settings.title }, { defaultPeriod: settings.period }, settings.location), ...settings };

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
