import type { WatchledgerClient } from '../../client/client.ts';
import type { SecretValues } from '../secret-references.ts';
import { type CliOutput, WrongUse } from '../../platform/cli/command.ts';
import { confirm } from '../../platform/cli/terminal.ts';
import { counted } from '../../kernel/text.ts';
import { paintFor, planText } from './plan-text.ts';
import { applied, type PlanOptions, type PlannedDocuments, SitePlanning, type AppliedDocuments } from './server-plans.ts';
import { pageKeyOf, type SentSite, siteRequests } from './site-requests.ts';

interface ApplyOptions extends PlanOptions {
  /** By the file of a site. */
  readonly valuesOf: (file: string) => SecretValues;
  readonly commit?: string | undefined;
  /** One that has begun already. */
  readonly planning?: SitePlanning;
  /** Do not ask. */
  readonly isConfirmed: boolean;
}

export interface AppliedSites {
  readonly results: AppliedDocuments;
  /** The plans of all documents, those that do not change included. */
  readonly plans: PlannedDocuments;
  readonly hasRefused: boolean;
}

/** Shows the plan of sites and status pages, asks, and carries it out; null: the answer was no. */
export async function applySites(
  client: WatchledgerClient,
  sites: readonly SentSite[],
  { valuesOf, commit, isConfirmed, planning, ...options }: ApplyOptions,
  output: CliOutput,
): Promise<AppliedSites | null> {
  const plans = await (planning ?? new SitePlanning(client, valuesOf, options, sites.length)).plans(sites);
  const changing = new Map(
    [...plans.projects, ...plans.statusPages.map((page) => ({ ...page, key: pageKeyOf(page) }))].flatMap(({ key, action, error, plan }) =>
      action !== 'none' && error === null ? [[key, plan] as const] : [],
    ),
  );
  output.say(planText(plans, paintFor(process.stderr.isTTY)));
  if (changing.size > 0 && !isConfirmed && !(await confirmed(plans))) return null;
  const requests = siteRequests(
    sites.filter(({ key }) => changing.has(key)),
    valuesOf,
    { keep: options.keepSecrets },
  );
  const results = await applied(client, requests, { ...options, plans: changing, commit });
  return { results, plans, hasRefused: hasErrors(plans) || hasErrors(results) };
}

export const hasErrors = ({ projects, statusPages }: PlannedDocuments | AppliedDocuments): boolean =>
  [...projects, ...statusPages].some(({ error }) => error !== null);

/** Without a terminal a program has to say --yes. */
function confirmed({ projects, statusPages }: PlannedDocuments): Promise<boolean> {
  if (!process.stdin.isTTY) throw new WrongUse('standard input is not a terminal: repeat with --yes');
  return confirm(`Change ${amounts(changing(projects), changing(statusPages))}?`);
}

const changing = (plans: readonly { readonly action: string; readonly error: object | null }[]): number =>
  plans.filter(({ action, error }) => action !== 'none' && error === null).length;

const amounts = (projects: number, pages: number): string =>
  [...(projects > 0 || pages === 0 ? [counted(projects, 'project')] : []), ...(pages > 0 ? [counted(pages, 'status page')] : [])].join(
    ' and ',
  );

/** What was refused and why, and how many projects and status pages were changed. */
export function resultLines({ projects, statusPages }: AppliedDocuments): readonly string[] {
  const named = [...projects, ...statusPages.map((page) => ({ ...page, key: `status page ${page.slug}` }))];
  const refused = named.flatMap(({ key, file, error }) => (error === null ? [] : [`✗ ${key} (${file}): ${error.message}`]));
  const done = (results: readonly { readonly result: string }[]): number => results.filter(({ result }) => result === 'applied').length;
  const changed = amounts(done(projects), done(statusPages));
  return [...refused, `Changed ${changed}${refused.length > 0 ? `, ${String(refused.length)} refused` : ''}`];
}
