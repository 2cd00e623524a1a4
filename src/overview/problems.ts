import { certificateStatus, daysLeft, isExpired } from '../watches/certificate/certificate-status.ts';
import type { CertificateRow } from '../watches/certificate/certificate.view.ts';
import type { ProjectRow } from '../projects/project.view.ts';
import type { RedirectRow } from '../watches/redirect/redirect.view.ts';
import type { UptimeRow } from '../watches/uptime/uptime.view.ts';
import type { VerdictRow } from '../checker/verdicts/verdict.view.ts';

/** Within so many days a certificate needs attention, where its project does not warn later than that. */
export const MAX_CERTIFICATE_DAYS = 30;

export type ProblemKind = 'uptime' | 'check' | 'certificate' | 'redirect';

export interface FailingCheck {
  readonly name: string;
  readonly verdict: VerdictRow;
}

export interface WatchedFacts {
  readonly uptime: UptimeRow | null;
  readonly certificate: CertificateRow | null;
  readonly redirect: RedirectRow | null;
  /** The enabled checks that fail, or the worst one of them. */
  readonly checks: readonly FailingCheck[];
}

/** Something about a project that needs the attention of a person. */
export interface FoundProblem {
  readonly kind: ProblemKind;
  readonly severity: 'failing' | 'warning';
  /** ISO 8601. */
  readonly since: string | null;
  /** What was expected and what was found; empty: the event says it. */
  readonly sentence: string;
  readonly check: { readonly id: string; readonly name: string } | null;
}

/** What is wrong with a project, the worst first. */
export function problemsOf({ settings }: Pick<ProjectRow, 'settings'>, facts: WatchedFacts, now: number): readonly FoundProblem[] {
  const { uptime, redirect } = facts;
  const problems: FoundProblem[] = [];
  if (settings.uptimePeriod !== 'false' && uptime !== null && (uptime.state === 'down' || uptime.state === 'timeout'))
    problems.push({ kind: 'uptime', severity: 'failing', since: uptime.since, sentence: '', check: null });
  for (const { name, verdict } of facts.checks)
    problems.push({
      kind: 'check',
      severity: 'failing',
      since: verdict.since,
      sentence: verdict.failing?.failures[0] ?? '',
      check: { id: verdict.checkId, name },
    });
  const certificate = certificateProblem(settings, facts.certificate, now);
  if (certificate !== null) problems.push(certificate);
  if (settings.httpsRedirectEnabled && redirect !== null && redirect.status !== 'ok') {
    const found = redirect.status === 'failed' ? 'does not lead to https' : 'could not be reached';
    problems.push({ kind: 'redirect', severity: 'warning', since: redirect.since, sentence: `${redirect.url} ${found}`, check: null });
  }
  return problems;
}

function certificateProblem(settings: ProjectRow['settings'], row: CertificateRow | null, now: number): FoundProblem | null {
  const { sslStatus, sslExpiration, sslError } = certificateStatus(row, settings, now);
  const of = { kind: 'certificate', since: row?.seenAt ?? null, check: null } as const;
  if (sslError !== null && sslExpiration !== null) return { ...of, severity: 'failing', sentence: sslError };
  if (sslExpiration === null) return null;
  if (isExpired(sslExpiration, now)) return { ...of, severity: 'failing', since: sslExpiration, sentence: 'the certificate has expired' };
  const left = daysLeft(sslExpiration, now);
  if (sslStatus !== 'soon' || left > MAX_CERTIFICATE_DAYS) return null;
  return { ...of, severity: 'warning', sentence: `the certificate expires in ${String(left)} ${left === 1 ? 'day' : 'days'}` };
}
