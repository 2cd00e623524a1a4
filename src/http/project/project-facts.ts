import type { Views } from '../../projections/kit/views.ts';

/** What the service itself found out about a project. */
export interface ProjectFacts {
  readonly status: 'ok' | 'error' | 'timeout' | null;
  readonly certificate: { readonly expiresAt: string } | null;
  readonly redirect: {
    readonly status: 'ok' | 'failed' | 'unreachable';
    readonly finalUrl: string | null;
    readonly checkedAt: string;
  } | null;
  readonly isWordPress: boolean | null;
}

const nothingYet: ProjectFacts = { status: null, certificate: null, redirect: null, isWordPress: null };

/** The facts of several projects at once; a project that nobody looked at yet has none. */
export async function factsOf(_views: Views, projectIds: readonly string[]): Promise<ReadonlyMap<string, ProjectFacts>> {
  return Promise.resolve(new Map(projectIds.map((id) => [id, nothingYet])));
}
