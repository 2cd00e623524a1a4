import { Allow, IsBoolean, IsIn, IsInt, IsNotEmpty, IsOptional, Matches, Max, Min, ValidateIf } from 'class-validator';
import { locations, type Period, periods, type ProjectSettings, type UptimePeriod, uptimePeriods } from '../../domain/project/settings.ts';
import { readSiteUrl } from '../../domain/project/site-url.ts';
import { IsPlainText } from '../validation/plain-text.ts';
import { IsSiteUrl } from '../validation/site-url.ts';
import { AsNumber, AsWord, Trimmed } from '../validation/transforms.ts';

/** The writable fields of a Project; the others are accepted and ignored, so that a client can send back what it got (decisions.md, P6). */
export class UpdateProjectDto {
  @IsOptional() @Trimmed() @IsPlainText(200) @IsNotEmpty() title?: string;
  /** The old word for `title`. */
  @IsOptional() @Trimmed() @IsPlainText(200) @IsNotEmpty() name?: string;
  @IsOptional() @IsSiteUrl() url?: string;
  @IsOptional() @AsWord() @IsIn(periods) period?: Period;
  @IsOptional() @ValidateIf((dto: UpdateProjectDto) => dto.uptimeUrl !== '') @IsSiteUrl() uptimeUrl?: string;
  @IsOptional() @AsWord() @IsIn(uptimePeriods) uptimeEnabled?: UptimePeriod;
  @IsOptional() @IsIn(locations) location?: string;
  @IsOptional() @IsBoolean() checkDefaultErrors?: boolean;
  @IsOptional()
  @Trimmed()
  @Matches(/^[\x21-\x7e][\x20-\x7e]{0,299}$/, { message: 'must be 1 to 300 visible ASCII characters' })
  userAgent?: string;
  @IsOptional() @AsNumber() @IsInt() @Min(1) @Max(60) timeout?: number;
  @IsOptional() @AsNumber() @IsInt() @Min(0) @Max(60_000) delay?: number;
  @IsOptional() @AsNumber() @IsInt() @Min(1) @Max(365) sslAlertPeriod?: number;
  @IsOptional() @IsBoolean() httpsRedirectEnabled?: boolean;
  @IsOptional() @IsBoolean() webPushEnabled?: boolean;
  @IsOptional() @IsBoolean() securityMonitoringEnabled?: boolean;

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
  const given: { [Name in keyof ProjectSettings]: ProjectSettings[Name] | undefined | null } = {
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
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
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
