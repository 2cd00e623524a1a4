import { type CertificateRow, certificateView } from '../../projections/certificate/certificate.view.ts';
import type { Look, LookStore } from '../../observations/looks/look-store.ts';
import type { Views } from '../../projections/kit/views.ts';
import { type ProjectRow, projectView } from '../../projections/project/project.view.ts';
import { type RedirectRow, redirectView } from '../../projections/redirect/redirect.view.ts';
import { standingView, statusOf } from '../../projections/standing/standing.view.ts';
import { currentAsOf } from '../as-of/as-of.ts';
import type { RecentLooks } from './recent-looks.ts';

export interface FoundRedirect extends RedirectRow {
  /** The last look, also when it found what was known. */
  readonly checkedAt: string;
}

/** What the service itself found out about a project. */
export interface ProjectFacts {
  readonly status: 'ok' | 'error' | 'timeout' | null;
  readonly certificate: CertificateRow | null;
  readonly redirect: FoundRedirect | null;
}

/** What the read models alone tell of a project. */
export interface KnownFacts {
  readonly status: ProjectFacts['status'];
  readonly certificate: CertificateRow | null;
  readonly redirect: RedirectRow | null;
}

/** A project with what is known of it, in one round trip: the hottest read of the service. */
export async function projectWithFacts(views: Views, id: string): Promise<{ readonly row: ProjectRow; readonly facts: KnownFacts } | null> {
  const [row, standing, certificate, redirect] = await views.across([projectView, standingView, certificateView, redirectView], id);
  return row === null ? null : { row, facts: { status: standing === null ? null : statusOf(standing), certificate, redirect } };
}

/** The last look at the redirect is no event: it is asked for where there is a redirect to look at. */
export async function withLook(facts: KnownFacts, id: string, looks: RecentLooks): Promise<ProjectFacts> {
  if (facts.redirect === null) return { ...facts, redirect: null };
  return { ...facts, redirect: foundRedirect(facts.redirect, await looks.of(id)) };
}

/** The facts of several projects at once; a project that nobody looked at yet has none. */
export async function factsOf(
  views: Views,
  projectIds: readonly string[],
  looks: Pick<LookStore, 'latest'>,
): Promise<ReadonlyMap<string, ProjectFacts>> {
  const [standings, certificates, redirects, looked] = await Promise.all([
    views.many(standingView, projectIds),
    views.many(certificateView, projectIds),
    views.many(redirectView, projectIds),
    looks.latest('redirect', projectIds),
  ]);
  return new Map(
    projectIds.map((id) => {
      const standing = standings.get(id);
      const status = standing === undefined ? null : statusOf(standing);
      return [id, { status, certificate: certificates.get(id) ?? null, redirect: foundRedirect(redirects.get(id), looked.get(id)) }];
    }),
  );
}

/** A look that changed nothing still says when it was, and where exactly the way ended. */
function foundRedirect(row: RedirectRow | undefined, look: Look | undefined): FoundRedirect | null {
  if (row === undefined) return null;
  // Only the last look is kept: an instant before it knows what its events tell.
  const isLater = look !== undefined && look.at > (currentAsOf()?.at ?? Infinity);
  if (look?.url !== row.url || isLater || look.at < Date.parse(row.since)) return { ...row, checkedAt: row.since };
  return { ...row, finalUrl: look.finalUrl, checkedAt: new Date(look.at).toISOString() };
}
