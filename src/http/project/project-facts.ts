import { type CertificateRow, certificateView } from '../../projections/read-models/certificate/certificate.view.ts';
import type { Inspection, InspectionStore } from '../../observations/inspections/inspection-store.ts';
import { type RowsOf, unlessParked, type Views } from '../../projections/views/views.ts';
import { type ProjectRow, projectView } from '../../projections/read-models/project/project.view.ts';
import { type RedirectRow, redirectView } from '../../projections/read-models/redirect/redirect.view.ts';
import { standingView, statusOf } from '../../projections/read-models/standing/standing.view.ts';
import { currentAsOf } from '../as-of/as-of.ts';

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
  const [row, ...facts] = await views.across([projectView, standingView, certificateView, redirectView], id);
  return row === null ? null : { row, facts: knownOf(facts) };
}

/** The last look at the redirect is no event: it is asked for where there is a redirect to look at. */
export async function withLook(facts: KnownFacts, id: string, looks: RecentLooks): Promise<ProjectFacts> {
  if (facts.redirect === null) return { ...facts, redirect: null };
  return { ...facts, redirect: foundRedirect(facts.redirect, await looks.of(id)) };
}

/** The facts of several projects at once; a project that nobody looked at yet has none, and one whose facts are parked is not among them. */
export async function factsOf(
  views: Pick<Views, 'across'>,
  projectIds: readonly string[],
  looks: Pick<InspectionStore, 'latest'>,
): Promise<ReadonlyMap<string, ProjectFacts>> {
  const [known, looked] = await Promise.all([
    Promise.all(projectIds.map((id) => unlessParked(views.across([standingView, certificateView, redirectView], id)))),
    looks.latest('redirect', projectIds),
  ]);
  const found = projectIds.map((id, index): readonly (readonly [string, ProjectFacts])[] => {
    const rows = known[index];
    if (rows === undefined || rows === 'parked') return [];
    const { redirect, ...facts } = knownOf(rows);
    return [[id, { ...facts, redirect: redirect && foundRedirect(redirect, looked.get(id)) }]];
  });
  return new Map(found.flat());
}

const knownOf = ([standing, certificate, redirect]: RowsOf<
  readonly [typeof standingView, typeof certificateView, typeof redirectView]
>): KnownFacts => ({ status: standing === null ? null : statusOf(standing), certificate, redirect });

/** A look that changed nothing still says when it was, and where exactly the way ended. */
function foundRedirect(row: RedirectRow, look: Inspection | undefined): FoundRedirect {
  // Only the last look is kept: an instant before it knows what its events tell.
  const isLater = look !== undefined && look.at > (currentAsOf()?.at ?? Infinity);
  if (look?.url !== row.url || isLater || look.at < Date.parse(row.since)) return { ...row, checkedAt: row.since };
  return { ...row, finalUrl: look.finalUrl, checkedAt: new Date(look.at).toISOString() };
}

interface Kept {
  readonly look: Promise<Inspection | undefined>;
  readonly askedAt: number;
}

/** Sites are looked at hourly: a look that was read within the last second is news enough. */
const KEPT_MS = 1_000;
const CAPACITY = 10_000;

/** The last look at a project's redirect, without asking the database again for every answer. */
export class RecentLooks {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly looks: Pick<InspectionStore, 'latest'>) {}

  of(projectId: string): Promise<Inspection | undefined> {
    const now = performance.now();
    const known = this.kept.get(projectId);
    if (known !== undefined && now - known.askedAt < KEPT_MS) return known.look;
    const look = this.looks.latest('redirect', [projectId]).then((found) => found.get(projectId));
    look.catch(() => this.kept.delete(projectId));
    if (this.kept.size >= CAPACITY) this.kept.clear();
    this.kept.set(projectId, { look, askedAt: now });
    return look;
  }
}
