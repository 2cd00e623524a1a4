import { CachedReads } from '../kernel/cached.ts';
import { type CertificateRow, certificateView } from '../watches/certificate/certificate.view.ts';
import { isSamePlace } from '../watches/redirect/redirect-status.ts';
import type { Inspection, InspectionStore } from '../platform/observations/inspections/inspection-store.ts';
import { unlessParked, type Views } from '../platform/read-models/views/views.ts';
import { type ProjectRow, projectView } from './project.view.ts';
import { type RedirectRow, redirectView } from '../watches/redirect/redirect.view.ts';
import type { ProjectStatus } from './standing.view.ts';
import { currentAsOf } from '../platform/http/as-of/as-of.ts';

export interface FoundRedirect extends RedirectRow {
  /** The last inspection, also when it found no change. */
  readonly checkedAt: string;
}

/** What the service found out about a project. */
export interface ProjectFacts {
  readonly status: ProjectStatus;
  readonly certificate: CertificateRow | null;
  readonly redirect: FoundRedirect | null;
}

/** The part of the facts that is in the read models. */
export interface KnownFacts {
  readonly status: ProjectStatus;
  readonly certificate: CertificateRow | null;
  readonly redirect: RedirectRow | null;
}

/** A project and its facts in one round trip: the most frequent read of the service. */
export async function projectWithFacts(views: Views, id: string): Promise<{ readonly row: ProjectRow; readonly facts: KnownFacts } | null> {
  const [row, certificate, redirect] = await views.across([projectView, certificateView, redirectView], id);
  return row === null ? null : { row, facts: { status: row.status ?? null, certificate, redirect } };
}

/** Adds the last inspection of the redirect, which is not an event, where a redirect is known. */
export async function withInspection(facts: KnownFacts, id: string, inspections: RecentInspections): Promise<ProjectFacts> {
  if (facts.redirect === null) return { ...facts, redirect: null };
  return { ...facts, redirect: foundRedirect(facts.redirect, await inspections.ofProject(id)) };
}

/** The facts of several projects; a project whose facts are parked is left out. */
export async function readProjectFacts(
  views: Pick<Views, 'across'>,
  projects: readonly Pick<ProjectRow, 'id' | 'status'>[],
  inspections: Pick<InspectionStore, 'latest'>,
): Promise<ReadonlyMap<string, ProjectFacts>> {
  const [known, inspected] = await Promise.all([
    Promise.all(projects.map(({ id }) => unlessParked(views.across([certificateView, redirectView], id)))),
    inspections.latest(
      'redirect',
      projects.map(({ id }) => id),
    ),
  ]);
  const found = projects.map(({ id, status = null }, index): readonly (readonly [string, ProjectFacts])[] => {
    const rows = known[index];
    if (rows === undefined || rows === 'parked') return [];
    const [certificate, redirect] = rows;
    return [[id, { status, certificate, redirect: redirect && foundRedirect(redirect, inspected.get(id)) }]];
  });
  return new Map(found.flat());
}

/**
 * An inspection that found no change still updates its time and the exact final url. One that found a change is stored before the read model
 * contains its event: until then it is ignored, so that status, final url and time belong to one event (docs/spec/decisions.md#P9).
 */
function foundRedirect(row: RedirectRow, last: Inspection | undefined): FoundRedirect {
  // Only the last inspection is stored: as of an earlier instant, the events alone count.
  const isLater = last !== undefined && last.at > (currentAsOf()?.at ?? Infinity);
  if (last?.url !== row.url || isLater || last.at < Date.parse(row.since) || !isSamePlace(last.finalUrl, row.finalUrl))
    return { ...row, checkedAt: row.since };
  return { ...row, finalUrl: last.finalUrl, checkedAt: new Date(last.at).toISOString() };
}

const CACHE_MS = 1_000;
const MAX_CACHED = 10_000;

/** The last inspection of a project's redirect, cached for a second: sites are inspected hourly. */
export class RecentInspections {
  private readonly cache = new CachedReads<Inspection | undefined>(MAX_CACHED, CACHE_MS);

  constructor(private readonly inspections: Pick<InspectionStore, 'latest'>) {}

  ofProject(projectId: string): Promise<Inspection | undefined> {
    return this.cache.get(projectId, async () => (await this.inspections.latest('redirect', [projectId])).get(projectId));
  }
}
