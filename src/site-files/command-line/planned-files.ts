import type { FileProblem, GivenFile } from '../read-site-files.ts';
import type { YamlDocument } from '../yaml-text.ts';
import type { SitePlanning } from './server-plans.ts';
import { type SentSite, sentPage, sentSite } from './site-requests.ts';
import { validSites } from './valid-sites.ts';

export interface PlannedFiles {
  /** In the order of the files. */
  readonly sent: readonly SentSite[];
  readonly problems: readonly FileProblem[];
}

/** Validates files, and has their sites planned meanwhile. With a problem in any file the plans are abandoned. */
export async function plannedFiles(files: readonly GivenFile[], planning: SitePlanning): Promise<PlannedFiles> {
  const early = new Map<YamlDocument, SentSite>();
  try {
    const { sites, pages, problems } = await validSites(files, (site) => {
      const sent = sentSite(site);
      early.set(site.document, sent);
      planning.add(sent);
    });
    if (problems.length > 0) planning.abandon();
    return { sent: [...sites.map((site) => early.get(site.document) ?? sentSite(site)), ...pages.map(sentPage)], problems };
  } catch (error) {
    planning.abandon();
    throw error;
  }
}
