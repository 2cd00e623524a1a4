import { type RoleId, switchesOf } from '../../domain/project/roles.ts';
import type { ProjectRow } from '../../projections/project/project.view.ts';
import { inUtc } from '../presentation/instant.ts';
import type { ProjectFacts } from './project-facts.ts';

const DAY = 86_400_000;

export interface Presented {
  readonly id: string;
  readonly row: ProjectRow;
  readonly facts: ProjectFacts;
  readonly role: RoleId | null;
  readonly owner: boolean;
  /** Opened for callers who may see it, else empty. */
  readonly apiKey: string;
  readonly now: number;
}

/** interface.md, Project. */
export function presentProject({ id, row, facts, apiKey, now }: Presented): object {
  const { settings } = row;
  return {
    id,
    title: settings.title,
    name: settings.title,
    url: settings.url,
    period: settings.period,
    uptimeUrl: uptimeUrlOf(row),
    uptimeEnabled: settings.uptimePeriod,
    apiKey,
    payerId: row.payerId,
    location: settings.location,
    checkDefaultErrors: settings.checkDefaultErrors,
    created: inUtc(row.createdAt),
    userAgent: settings.userAgent,
    timeout: settings.timeout,
    delay: settings.delay,
    userIds: row.members.map((member) => member.userId),
    status: facts.status,
    ...presentCertificate(row, facts, now),
    sslAlertPeriod: settings.sslAlertPeriod,
    httpsRedirectEnabled: settings.httpsRedirectEnabled,
    httpsRedirectStatus: facts.redirect?.status ?? null,
    httpsRedirectFinalUrl: facts.redirect?.finalUrl ?? null,
    httpsRedirectCheckedAt: facts.redirect === null ? null : inUtc(facts.redirect.checkedAt),
    webPushEnabled: settings.webPushEnabled,
    securityMonitoringEnabled: settings.securityMonitoringEnabled,
    isWordPress: facts.isWordPress,
  };
}

/** interface.md, Get project. */
export const presentProjectInFull = (given: Presented): object => ({
  ...presentProject(given),
  permissions: switchesOf(given.role, given.owner),
});

/** The uptime url follows the project's as long as nobody set another. */
export const uptimeUrlOf = (row: ProjectRow): string => (row.settings.uptimeUrl === '' ? row.settings.url : row.settings.uptimeUrl);

/** What depends on the clock is computed here, from what was found and the time of the answer (decisions.md, P8). */
function presentCertificate(row: ProjectRow, facts: ProjectFacts, now: number): object {
  if (!row.settings.url.startsWith('https://')) return { sslStatus: 'nossl', sslExpiration: null };
  if (facts.certificate === null) return { sslStatus: 'noinfo', sslExpiration: null };
  const left = new Date(facts.certificate.expiresAt).getTime() - now;
  const daysLeft = Math.max(0, Math.floor(left / DAY));
  const sslStatus = left <= 0 ? 'expired' : daysLeft <= row.settings.sslAlertPeriod ? 'soon' : 'ok';
  return { sslStatus, sslExpiration: inUtc(facts.certificate.expiresAt), sslDaysLeft: daysLeft };
}
