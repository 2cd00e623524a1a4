import { certificateStatus } from '../watches/certificate/certificate-status.ts';
import { httpVersionOf } from '../watches/redirect/redirect-status.ts';
import { type RoleId, switchesOf } from '../accounts/rights/roles.ts';
import type { ProjectRow } from './project.view.ts';
import { inUtc } from '../platform/http/presentation/answers.ts';
import type { ProjectFacts } from './project-facts.ts';
import type { ProjectAnswer, ProjectInFullAnswer } from './project.description.ts';

type CertificateField = 'sslStatus' | 'sslExpiration' | 'sslDaysLeft' | 'sslError';
type RedirectField = 'httpsRedirectStatus' | 'httpsRedirectFinalUrl' | 'httpsRedirectCheckedAt';

export interface Presented {
  readonly id: string;
  readonly row: ProjectRow;
  readonly facts: ProjectFacts;
  readonly role: RoleId | null;
  readonly owner: boolean;
  /** Empty for callers who may not see it. */
  readonly apiKey: string;
  readonly now: number;
}

/** docs/spec/interface.md#project. */
export function presentProject({ id, row, facts, apiKey, now }: Presented): ProjectAnswer {
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
    ...presentRedirect(row, facts),
    webPushEnabled: settings.webPushEnabled,
    securityMonitoringEnabled: settings.securityMonitoringEnabled,
    isWordPress: row.isWordPress,
    tags: settings.tags ?? [],
  };
}

/** docs/spec/interface.md#get-project. */
export const presentProjectInFull = (given: Presented): ProjectInFullAnswer => ({
  ...presentProject(given),
  permissions: switchesOf(given.role, given.owner),
});

/** The project's url unless another was set. */
export const uptimeUrlOf = (row: ProjectRow): string => (row.settings.uptimeUrl === '' ? row.settings.url : row.settings.uptimeUrl);

/** Computed at the time of the answer, because it depends on the clock (docs/spec/decisions.md#P8). */
function presentCertificate({ settings }: ProjectRow, { certificate }: ProjectFacts, now: number): Pick<ProjectAnswer, CertificateField> {
  const { sslExpiration, ...status } = certificateStatus(certificate, settings, now);
  return { ...status, sslExpiration: sslExpiration === null ? null : inUtc(sslExpiration) };
}

/** The facts of another url do not apply to the current one. */
function presentRedirect({ settings }: ProjectRow, { redirect }: ProjectFacts): Pick<ProjectAnswer, RedirectField> {
  const known = redirect !== null && httpVersionOf(settings.url) === redirect.url ? redirect : null;
  return {
    httpsRedirectStatus: known?.status ?? null,
    httpsRedirectFinalUrl: known?.finalUrl ?? null,
    httpsRedirectCheckedAt: known === null ? null : inUtc(known.checkedAt),
  };
}
