import type { WatchledgerClient } from '../client/client.ts';
import { boundedFile } from '../platform/cli/bounded-file.ts';
import type { CliCommand, CliInput, CliOutput } from '../platform/cli/command.ts';
import { connect, serverOptions } from '../platform/cli/server/connect.ts';
import { applySites, hasErrors, resultLines } from './command-line/apply-sites.ts';
import { commitOf, planOptions, planOptionsOf, plannedFiles, refusedFiles } from './command-line/planned-files.ts';
import { givenFiles, localSecrets } from './command-line/given-files.ts';
import { type KeptPlan, readKeptPlan } from './command-line/plan-file.ts';
import { applied, type AppliedDocuments, SitePlanning } from './command-line/server-plans.ts';
import { siteRequests } from './command-line/site-requests.ts';

const MAX_PLAN_MIB = 400;

/** docs/site-files.md. */
export const command: CliCommand = {
  about: 'Make the projects of a server as site files say: shows the plan and asks; with the file of a plan carries out exactly that',
  args: ['[FILE...]'],
  options: {
    ...serverOptions,
    ...planOptions,
    commit: {
      type: 'string',
      value: 'HASH',
      about: 'the commit of the files, for the history (default: that of their folder, if it has no changes)',
    },
    yes: { type: 'boolean', about: 'do not ask' },
  },
  run: async ({ input, output }) => {
    const client = connect(input);
    const kept = keptPlanIn(input);
    return kept === null ? applyFiles(client, input, output) : applyKept(client, kept, output);
  },
};

function keptPlanIn({ args }: CliInput): KeptPlan | null {
  const [file, more] = args;
  return file === undefined || more !== undefined || !file.endsWith('.json')
    ? null
    : readKeptPlan(boundedFile(file, MAX_PLAN_MIB).toString(), file);
}

async function applyKept(
  client: WatchledgerClient,
  { sites, plans, commit, prune, keepSecrets }: KeptPlan,
  output: CliOutput,
): Promise<number> {
  const planned = sites.filter(({ key }) => Object.hasOwn(plans, key));
  const requests = siteRequests(planned, localSecrets, { keep: keepSecrets });
  const tokens = new Map(Object.entries(plans));
  return showResults(await applied(client, requests, { prune, keepSecrets, plans: tokens, commit: commit ?? undefined }), output);
}

async function applyFiles(client: WatchledgerClient, input: CliInput, output: CliOutput): Promise<number> {
  const files = givenFiles(input.args);
  const options = planOptionsOf(input);
  const planning = new SitePlanning(client, localSecrets, options, files.length);
  const { sent, problems } = await plannedFiles(files, planning);
  if (problems.length > 0) return refusedFiles(output, problems);
  const commit = input.text('commit') ?? commitOf(files.map(({ name }) => name));
  const applying = { ...options, valuesOf: localSecrets, commit, planning, isConfirmed: input.flag('yes') };
  const done = await applySites(client, sent, applying, output);
  if (done === null) return 1;
  return Math.max(showResults(done.results, output), done.hasRefused ? 1 : 0);
}

function showResults(results: AppliedDocuments, output: CliOutput): number {
  output.result(results, () => resultLines(results).join('\n'));
  return hasErrors(results) ? 1 : 0;
}
