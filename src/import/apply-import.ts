import { basename } from 'node:path';
import { ApiError } from '../client/api-error.ts';
import type { WatchledgerClient } from '../client/client.ts';
import { SiteFile } from '../site-files/site-file.dto.ts';
import { referencesIn, type SecretValues } from '../site-files/secret-references.ts';
import { readInput } from '../platform/http/validation/input.ts';
import type { CliOutput } from '../platform/cli/command.ts';
import { Progress } from '../platform/cli/progress.ts';
import { type AppliedSites, applySites } from '../site-files/command-line/apply-sites.ts';
import { pageKeyOf, type SentSite } from '../site-files/command-line/site-requests.ts';
import { importOrigin } from './import-key.ts';
import type { ImportResult } from './import-result.ts';
import type { ImportedSite } from './imported-site.ts';
import type { ImportedStatusPage } from './imported-status-page.ts';

export interface ImportToApply extends ImportResult {
  readonly kind: string;
  /** What the user named as SOURCE. */
  readonly source: string;
  readonly isConfirmed: boolean;
  readonly keepSecrets: boolean;
}

interface AppliedImport extends AppliedSites {
  /** Keys of the sites whose history is there. */
  readonly histories: readonly string[];
}

/** Like site files; then each project gets the history of its source, which is harmless to repeat. Null: the answer was no. */
export async function applyImport(
  client: WatchledgerClient,
  { kind, source, sites, pages, secrets, histories, isConfirmed, keepSecrets }: ImportToApply,
  output: CliOutput,
): Promise<AppliedImport | null> {
  const valuesOf = (): SecretValues => (reference) => {
    const name = reference.replace(/^env:/, '');
    return secrets.values.get(name) ?? process.env[name] ?? null;
  };
  const name = basename(source);
  const sent = [...sites.map((site) => sentFrom(site, name)), ...pages.map((page) => pageFrom(page, name))];
  const done = await applySites(client, sent, { prune: 'none', keepSecrets, valuesOf, isConfirmed }, output);
  if (done === null) return null;
  const refused = new Set(done.results.projects.flatMap(({ key, error }) => (error === null ? [] : [key])));
  const projects = [...done.plans.projects, ...done.results.projects].flatMap(({ key, projectId }) =>
    projectId === null || refused.has(key) ? [] : [[key, projectId] as const],
  );
  const { keys, hasRefused } = await importHistories(client, importOrigin(kind), histories, new Map(projects), output);
  return { ...done, histories: keys, hasRefused: done.hasRefused || hasRefused };
}

/** One that the service refuses, as when the clocks differ, does not keep the others from it. */
async function importHistories(
  client: WatchledgerClient,
  origin: string,
  histories: ImportResult['histories'],
  projects: ReadonlyMap<string, string>,
  output: CliOutput,
): Promise<{ readonly keys: readonly string[]; readonly hasRefused: boolean }> {
  const progress = new Progress('importing history', process.stderr, () => performance.now(), 'sites');
  const keys: string[] = [];
  const refusals: string[] = [];
  try {
    for (const [key, history] of histories) {
      const id = projects.get(key);
      if (id === undefined) continue;
      try {
        await client.put('/project/{id}/imported-uptime', { path: { id }, body: { origin, ...history } });
        keys.push(key);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
        refusals.push(`✗ history of ${key}: ${error.message}`);
      }
      progress.report(keys.length + refusals.length, histories.size);
    }
  } finally {
    progress.end();
  }
  for (const line of refusals) output.say(line);
  return { keys, hasRefused: refusals.length > 0 };
}

const pageFrom = (page: ImportedStatusPage, name: string): SentSite => ({
  key: pageKeyOf(page.statusPage),
  name,
  text: JSON.stringify(page),
  references: [],
});

const sentFrom = (site: ImportedSite, name: string): SentSite => ({
  key: site.key,
  name,
  text: JSON.stringify(site),
  references: referencesIn(readInput(SiteFile, site)),
});
