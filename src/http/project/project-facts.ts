import { type CertificateRow, certificateView } from '../../projections/certificate/certificate.view.ts';
import type { Views } from '../../projections/kit/views.ts';
import { type RedirectRow, redirectView } from '../../projections/redirect/redirect.view.ts';
import { standingView, statusOf } from '../../projections/standing/standing.view.ts';

/** What the service itself found out about a project. */
export interface ProjectFacts {
  readonly status: 'ok' | 'error' | 'timeout' | null;
  readonly certificate: CertificateRow | null;
  readonly redirect: RedirectRow | null;
  readonly isWordPress: boolean | null;
}

/** The facts of several projects at once; a project that nobody looked at yet has none. */
export async function factsOf(views: Views, projectIds: readonly string[]): Promise<ReadonlyMap<string, ProjectFacts>> {
  const [standings, certificates, redirects] = await Promise.all([
    views.many(standingView, projectIds),
    views.many(certificateView, projectIds),
    views.many(redirectView, projectIds),
  ]);
  return new Map(
    projectIds.map((id) => {
      const standing = standings.get(id);
      const status = standing === undefined ? null : statusOf(standing);
      return [id, { status, certificate: certificates.get(id) ?? null, redirect: redirects.get(id) ?? null, isWordPress: null }];
    }),
  );
}
