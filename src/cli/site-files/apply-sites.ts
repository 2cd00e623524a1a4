import type { WatchledgerClient } from '../../client/client.ts';
import type { Schemas } from '../../client/types.ts';
import type { SecretValues } from '../../http/site-files/secret-references.ts';
import { type CliOutput, WrongUse } from '../command.ts';
import { confirm } from '../terminal.ts';
import { counted } from './counted.ts';
import { paintFor, planText } from './plan-text.ts';
import { applied, type PlanOptions, plansOf } from './server-plans.ts';
import { type SentSite, siteRequests } from './site-requests.ts';

interface ApplyOptions extends PlanOptions {
  /** By the file of a site. */
  readonly valuesOf: (file: string) => SecretValues;
  readonly commit?: string | undefined;
  /** Do not ask. */
  readonly isConfirmed: boolean;
}

export interface AppliedSites {
  readonly results: readonly Schemas['AppliedSite'][];
  /** Of all sites, those that do not change included. */
  readonly plans: readonly Schemas['SitePlan'][];
  readonly hasRefused: boolean;
}

/** Shows the plan of sites, asks, and carries it out; null: the answer was no. */
export async function applySites(
  client: WatchledgerClient,
  sites: readonly SentSite[],
  { valuesOf, commit, isConfirmed, ...options }: ApplyOptions,
  output: CliOutput,
): Promise<AppliedSites | null> {
  const requestsFor = (some: readonly SentSite[]) => siteRequests(some, valuesOf, { keep: options.keepSecrets });
  const plans = await plansOf(client, requestsFor(sites), options);
  const changing = new Map(plans.filter(({ action, error }) => action !== 'none' && error === null).map(({ key, plan }) => [key, plan]));
  output.say(planText(plans, paintFor(process.stderr.isTTY)));
  if (changing.size > 0 && !isConfirmed && !(await confirmed(changing.size))) return null;
  const requests = requestsFor(sites.filter(({ key }) => changing.has(key)));
  const results = await applied(client, requests, { ...options, plans: changing, commit });
  return { results, plans, hasRefused: [...plans, ...results].some(({ error }) => error !== null) };
}

/** Without a terminal a program has to say --yes. */
function confirmed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) throw new WrongUse('standard input is not a terminal: repeat with --yes');
  return confirm(`Change ${counted(count, 'project')}?`);
}

/** What was refused and why, and how many projects were changed. */
export function resultLines(results: readonly Schemas['AppliedSite'][]): readonly string[] {
  const refused = results.flatMap(({ key, file, error }) => (error === null ? [] : [`✗ ${key} (${file}): ${error.message}`]));
  const done = results.filter(({ result }) => result === 'applied').length;
  return [...refused, `Changed ${counted(done, 'project')}${refused.length > 0 ? `, ${String(refused.length)} refused` : ''}`];
}
