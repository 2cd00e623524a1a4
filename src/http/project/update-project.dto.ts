import { Allow, Matches, ValidateIf } from 'class-validator';
import { locations, type Period, periods, type ProjectSettings, type UptimePeriod, uptimePeriods } from '../../domain/project/settings.ts';
import { readSiteUrl } from '../../domain/project/site-url.ts';
import { IfGiven } from '../validation/if-given.ts';
import { IsOneOf } from '../validation/one-of.ts';
import { IsFilledText } from '../validation/plain-text.ts';
import { IsSiteUrl } from '../validation/site-url.ts';
import { IsSwitch } from '../validation/switch.ts';
import { AsWord, Trimmed } from '../validation/transforms.ts';
import { IsWhole } from '../validation/whole-number.ts';

/** The writable fields of a Project; the others are accepted and ignored, so that a client can send back what it got (docs/spec/decisions.md#P6). */
export class UpdateProjectDto {
  @IfGiven() @Trimmed() @IsFilledText(200) title?: string;
  /** The old word for `title`. */
  @IfGiven() @Trimmed() @IsFilledText(200) name?: string;
  @IfGiven() @IsSiteUrl() url?: string;
  @IfGiven() @AsWord() @IsOneOf(periods) period?: Period;
  @ValidateIf((dto: UpdateProjectDto) => dto.uptimeUrl !== undefined && dto.uptimeUrl !== '') @IsSiteUrl() uptimeUrl?: string;
  @IfGiven() @AsWord() @IsOneOf(uptimePeriods) uptimeEnabled?: UptimePeriod;
  @IfGiven() @IsOneOf(locations) location?: string;
  @IfGiven() @IsSwitch() checkDefaultErrors?: boolean;
  @IfGiven()
  @Trimmed()
  @Matches(/^[\x21-\x7e][\x20-\x7e]{0,299}$/, { message: 'must be 1 to 300 visible ASCII characters' })
  userAgent?: string;
  @IfGiven() @IsWhole(1, 60) timeout?: number;
  @IfGiven() @IsWhole(0, 60_000) delay?: number;
  @IfGiven() @IsWhole(1, 365) sslAlertPeriod?: number;
  @IfGiven() @IsSwitch() httpsRedirectEnabled?: boolean;
  @IfGiven() @IsSwitch() webPushEnabled?: boolean;
  @IfGiven() @IsSwitch() securityMonitoringEnabled?: boolean;

  @Allow() id?: unknown;
  @Allow() apiKey?: unknown;
  @Allow() payerId?: unknown;
  @Allow() created?: unknown;
  @Allow() userIds?: unknown;
  @Allow() status?: unknown;
  @Allow() sslStatus?: unknown;
  @Allow() sslExpiration?: unknown;
  @Allow() sslDaysLeft?: unknown;
  @Allow() sslError?: unknown;
  @Allow() httpsRedirectStatus?: unknown;
  @Allow() httpsRedirectFinalUrl?: unknown;
  @Allow() httpsRedirectCheckedAt?: unknown;
  @Allow() isWordPress?: unknown;
  @Allow() permissions?: unknown;
}

/** What today's answer shows of the fields whose writing depends on it. */
export interface Shown {
  readonly title: string;
  readonly uptimeUrl: string;
}

export function settingsOf(dto: UpdateProjectDto, shown: Shown): Partial<ProjectSettings> {
  const title = titleOf(dto, shown);
  const given: { [Name in keyof ProjectSettings]: ProjectSettings[Name] | undefined } = {
    title,
    url: normalised(dto.url),
    period: dto.period,
    // What follows the project's url goes on following it when a client sends back what it got.
    uptimeUrl: dto.uptimeUrl === shown.uptimeUrl ? undefined : normalised(dto.uptimeUrl),
    uptimePeriod: dto.uptimeEnabled,
    location: dto.location,
    checkDefaultErrors: dto.checkDefaultErrors,
    userAgent: dto.userAgent,
    timeout: dto.timeout,
    delay: dto.delay,
    sslAlertPeriod: dto.sslAlertPeriod,
    httpsRedirectEnabled: dto.httpsRedirectEnabled,
    webPushEnabled: dto.webPushEnabled,
    securityMonitoringEnabled: dto.securityMonitoringEnabled,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Of `title` and `name` the one that differs from today's value counts, `title` when both do. */
function titleOf(dto: UpdateProjectDto, shown: Shown): string | undefined {
  if (dto.title !== undefined && dto.title !== shown.title) return dto.title;
  return dto.name ?? dto.title;
}

function normalised(url: string | undefined): string | undefined {
  if (url === undefined || url === '') return url;
  const read = readSiteUrl(url);
  return read.kind === 'valid' ? read.url : undefined;
}
