import { type CliInput, type CliOption, WrongUse, type CliOutput } from '../../platform/cli/command.ts';
import type { PlanOptions, SitePlanning } from './server-plans.ts';
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { type FileProblem, type GivenFile, inOneLine } from '../read-site-files.ts';
import type { YamlDocument } from '../yaml-text.ts';
import { type SentSite, sentPage, sentSite } from './site-requests.ts';
import { validSites } from './valid-sites.ts';

export const planOptions: Readonly<Record<string, CliOption>> = {
  prune: {
    type: 'string',
    value: 'all',
    alone: 'some',
    about: 'delete groups and checks that no file has, at most a fifth of a project; all: any number',
    problemOf: (value) => (value === 'all' || value === 'some' ? null : 'must be all, or be left out'),
  },
  'keep-secrets': { type: 'boolean', about: 'leave secrets as they are whose reference has no value here' },
};

export const planOptionsOf = (input: CliInput): PlanOptions => {
  const prune = input.text('prune') ?? 'none';
  if (prune !== 'none' && prune !== 'some' && prune !== 'all') throw new WrongUse('--prune: must be all, or be left out');
  return { prune, keepSecrets: input.flag('keep-secrets') };
};

/** The commit that is checked out where the files are, unless one of them differs from it or is not in a repository. */
export function commitOf(files: readonly string[]): string | undefined {
  const [first] = files;
  if (first === undefined) return undefined;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', dirname(first), ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const isClean = git('status', '--porcelain', '--', '.') === '';
    return isClean ? git('rev-parse', 'HEAD') : undefined;
  } catch {
    return undefined;
  }
}

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

/** Shows what is wrong in files; answers the exit status. */
export function refusedFiles(output: CliOutput, problems: readonly FileProblem[]): number {
  output.result({ valid: false, problems }, () => problems.map(inOneLine).join('\n'));
  return 2;
}
