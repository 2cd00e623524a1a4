import { Injectable } from '@nestjs/common';
import { CachedReads } from '../kernel/cached.ts';
import { certificateStatus } from './certificate/certificate-status.ts';
import { type CertificateRow, certificateView } from './certificate/certificate.view.ts';
import { httpVersionOf, isSamePlace } from './redirect/redirect-status.ts';
import { type Inspection, InspectionStore } from '../platform/observations/inspections/inspection-store.ts';
import { unlessParked, type Views } from '../platform/read-models/views/views.ts';
import { type ProjectRow, projectView } from '../projects/project.view.ts';
import type { KnownFacts, ProjectFacts, ProjectFindings } from '../projects/project.presenter.ts';
import { type RedirectRow, redirectView } from './redirect/redirect.view.ts';
import { currentAsOf } from '../platform/http/as-of/as-of.ts';
import { inUtc } from '../platform/http/presentation/answers.ts';

interface FoundRedirect extends RedirectRow {
  /** The last inspection, also when it found no change. */
  readonly checkedAt: string;
}

/** The part of the facts that is in the read models. */
interface WatchedFacts extends KnownFacts {
  readonly certificate: CertificateRow | null;
  readonly redirect: RedirectRow | null;
}

interface FoundFacts extends WatchedFacts {
  readonly redirect: FoundRedirect | null;
}

interface KnownProject {
  readonly row: ProjectRow;
  readonly facts: WatchedFacts;
}

export async function projectWithFacts(views: Views, id: string): Promise<KnownProject | null> {
  const [row, certificate, redirect] = await views.across([projectView, certificateView, redirectView], id);
  return row === null ? null : { row, facts: { status: row.status ?? null, certificate, redirect } };
}

const CACHE_MS = 1_000;
const MAX_CACHED = 10_000;

@Injectable()
export class ProjectFactsReader implements ProjectFindings {
  /** The last inspection of a redirect, cached for a second: sites are inspected hourly. */
  private readonly cache = new CachedReads<Inspection | undefined>(MAX_CACHED, CACHE_MS);

  constructor(private readonly inspections: InspectionStore) {}

  known(views: Views, id: string): Promise<KnownProject | null> {
    return projectWithFacts(views, id);
  }

  /** Adds the last inspection of the redirect, which is not an event, where a redirect is known. */
  async of(row: ProjectRow, { redirect, ...known }: WatchedFacts, now: number): Promise<ProjectFacts> {
    const { id } = row;
    const inspect = async (): Promise<Inspection | undefined> => (await this.inspections.latest('redirect', [id])).get(id);
    return presentFacts(row, { ...known, redirect: redirect && foundRedirect(redirect, await this.cache.get(id, inspect)) }, now);
  }

  async ofAll(views: Views, rows: readonly ProjectRow[], now: number): Promise<ReadonlyMap<string, ProjectFacts>> {
    const found = await readProjectFacts(views, rows, this.inspections);
    return new Map(
      rows.flatMap((row) => {
        const facts = found.get(row.id);
        return facts === undefined ? [] : [[row.id, presentFacts(row, facts, now)] as const];
      }),
    );
  }
}

/** Computed at the time of the answer, because it depends on the clock (docs/spec/decisions.md#P8). The facts of another url do not apply to the current one. */
export function presentFacts({ settings }: ProjectRow, { status, certificate, redirect }: FoundFacts, now: number): ProjectFacts {
  const { sslExpiration, ...ssl } = certificateStatus(certificate, settings, now);
  const known = redirect !== null && httpVersionOf(settings.url) === redirect.url ? redirect : null;
  return {
    status,
    certificate: { ...ssl, sslExpiration: sslExpiration === null ? null : inUtc(sslExpiration) },
    redirect: {
      httpsRedirectStatus: known?.status ?? null,
      httpsRedirectFinalUrl: known?.finalUrl ?? null,
      httpsRedirectCheckedAt: known === null ? null : inUtc(known.checkedAt),
    },
  };
}

/** The facts of several projects; a project whose facts are parked is left out. */
export async function readProjectFacts(
  views: Pick<Views, 'across'>,
  projects: readonly Pick<ProjectRow, 'id' | 'status'>[],
  inspections: Pick<InspectionStore, 'latest'>,
): Promise<ReadonlyMap<string, FoundFacts>> {
  const [known, inspected] = await Promise.all([
    Promise.all(projects.map(({ id }) => unlessParked(views.across([certificateView, redirectView], id)))),
    inspections.latest(
      'redirect',
      projects.map(({ id }) => id),
    ),
  ]);
  const found = projects.map(({ id, status = null }, index): readonly (readonly [string, FoundFacts])[] => {
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
