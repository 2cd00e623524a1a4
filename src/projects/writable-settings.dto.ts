import { LOCATIONS } from '../kernel/locations.ts';
import {
  completeSettings,
  DEFAULT_USER_AGENT,
  type Period,
  periods,
  type ProjectSettings,
  type SettingField,
  settingFields,
  settingTable,
  type UptimePeriod,
  uptimePeriods,
} from './project.settings.ts';
import { readSiteUrl } from '../kernel/site-url.ts';
import { constant, type More } from '../platform/http/description/schema.ts';
import { filledText, matching, oneOf, oneOfWords, orEmpty, siteUrl, trimmed, whole, yesOrNo } from '../platform/http/validation/fields.ts';
import { tagsField } from './tags.ts';
import { type InputField, Optional } from '../platform/http/validation/input.ts';

const title = (description: string, more?: More): InputField<string> => trimmed(filledText(description, 200, more));

const userAgent = matching('User agent of the checker', /^[\x21-\x7e][\x20-\x7e]{0,299}$/, 'must be 1 to 300 visible ASCII characters', {
  examples: [DEFAULT_USER_AGENT],
});

/** The settings of a Project but its url, which its creation requires. */
export class SiteSettings {
  @Optional(title('Title', { examples: ['Example'] })) title?: string;
  @Optional(oneOfWords('How often tests run on schedule; `false`: never', periods, constant(false))) period?: Period;
  @Optional(orEmpty(siteUrl('URL that is probed for uptime; follows `url` until another is set', 'https://example.com')))
  uptimeUrl?: string;
  @Optional(
    oneOfWords('Seconds between probes; `false`: uptime is off', uptimePeriods, constant(false), { type: 'integer', enum: [15, 30, 60] }),
  )
  uptimeEnabled?: UptimePeriod;
  @Optional(oneOf('Location of the checker', LOCATIONS)) location?: string;
  @Optional(yesOrNo('Whether known error pages fail a check')) checkDefaultErrors?: boolean;
  @Optional(trimmed(userAgent))
  userAgent?: string;
  @Optional(whole('Seconds that one fetch may take as a whole', ...settingTable.timeout.within, { examples: [3] })) timeout?: number;
  @Optional(whole('Milliseconds between two requests to one host', ...settingTable.delay.within, { format: 'int64', examples: [50] }))
  delay?: number;
  @Optional(whole('Days before its expiry from which a certificate is `soon`', ...settingTable.sslAlertPeriod.within, { examples: [14] }))
  sslAlertPeriod?: number;
  @Optional(yesOrNo('Whether the redirect from http to https is checked; switching it on checks at once')) httpsRedirectEnabled?: boolean;
  @Optional(yesOrNo('Browser push', { examples: [false] })) webPushEnabled?: boolean;
  @Optional(yesOrNo('Security panel', { examples: [false] })) securityMonitoringEnabled?: boolean;
  @Optional(tagsField) tags?: string[];
}

/** The writable fields of a Project but its url (docs/spec/decisions.md#P6, #P14). */
export class WritableSettings extends SiteSettings {
  @Optional(title('The old word for `title`', { deprecated: true, examples: ['Example'] })) name?: string;
}

/** The settings as they stand without the request, as far as the meaning of a sent field depends on them. */
export interface Shown {
  readonly title: string;
  readonly uptimeUrl: string;
}

export function settingsOf(dto: WritableSettings & { readonly url?: string }, shown: Shown): Partial<ProjectSettings> {
  const given = {
    ...Object.fromEntries(Object.entries(settingFields).map(([name, field]) => [name, dto[field]])),
    title: titleOf(dto, shown),
    url: normalised(dto.url),
    // An uptime URL that follows the project's URL keeps following it when a client sends back an answer.
    uptimeUrl: dto.uptimeUrl === shown.uptimeUrl ? undefined : normalised(dto.uptimeUrl),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

type WritableField = Exclude<SettingField, 'url'> | 'name';

const shownFields = Object.entries(settingFields).filter(([, field]) => field !== 'url');

/** The writable fields with these settings; the url, which a project always has, is none of them. A loop, because every answer about a project has them. */
export function fieldsOf(settings: ProjectSettings): Required<Pick<WritableSettings, WritableField>> {
  const complete = completeSettings(settings) as unknown as Readonly<Record<string, unknown>>;
  const fields: Record<string, unknown> = {};
  for (const [name, field] of shownFields) fields[field] = complete[name];
  fields['name'] = settings.title;
  // The table gives each field its setting.
  return fields as Required<Pick<WritableSettings, WritableField>>;
}

/** `title` or `name`, whichever differs from today's value; `title` when both do. */
function titleOf(dto: WritableSettings, shown: Shown): string | undefined {
  if (dto.title !== undefined && dto.title !== shown.title) return dto.title;
  return dto.name ?? dto.title;
}

function normalised(url: string | undefined): string | undefined {
  if (url === undefined || url === '') return url;
  const read = readSiteUrl(url);
  return read.kind === 'valid' ? read.url : undefined;
}
