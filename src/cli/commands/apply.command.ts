import { readFileSync } from 'node:fs';
import type { WatchledgerClient } from '../../client/client.ts';
import type { Schemas } from '../../client/types.ts';
import type { CliCommand, CliInput, CliOutput } from '../command.ts';
import { WrongUse } from '../command.ts';
import { connect, serverOptions } from '../server/connect.ts';
import { commitOf } from '../site-files/commit-of.ts';
import { counted } from '../site-files/counted.ts';
import { givenFiles } from '../site-files/given-files.ts';
import { localSecrets } from '../site-files/local-secrets.ts';
import { type KeptPlan, readKeptPlan } from '../site-files/plan-file.ts';
import { planOptions, planOptionsOf } from '../site-files/plan-options.ts';
import { paintFor, planText } from '../site-files/plan-text.ts';
import { refusedFiles } from '../site-files/refused-files.ts';
import { applied, plansOf } from '../site-files/server-plans.ts';
import { sentSite, siteRequests } from '../site-files/site-requests.ts';
import { validSites } from '../site-files/valid-sites.ts';
import { confirm } from '../terminal.ts';

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
  return file === undefined || more !== undefined || !file.endsWith('.json') ? null : readKeptPlan(readFileSync(file, 'utf8'), file);
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
  const { sites, problems } = await validSites(files);
  if (problems.length > 0) return refusedFiles(output, problems);
  const options = planOptionsOf(input);
  const sent = sites.map(sentSite);
  const plans = await plansOf(client, siteRequests(sent, localSecrets, { keep: options.keepSecrets }), options);
  const changing = new Map(plans.filter(({ action, error }) => action !== 'none' && error === null).map(({ key, plan }) => [key, plan]));
  const refused = plans.filter(({ error }) => error !== null);
  output.say(planText(plans, paintFor(process.stderr.isTTY)));
  if (changing.size > 0 && !input.flag('yes') && !(await confirmed(changing.size))) return 1;
  const requests = siteRequests(
    sent.filter(({ key }) => changing.has(key)),
    localSecrets,
    { keep: options.keepSecrets },
  );
  const commit = input.text('commit') ?? commitOf(files.map(({ name }) => name));
  const results = await applied(client, requests, { ...options, plans: changing, commit });
  return Math.max(showResults(results, output), refused.length > 0 ? 1 : 0);
}

/** Without a terminal a program has to say --yes. */
function confirmed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) throw new WrongUse('standard input is not a terminal: repeat with --yes');
  return confirm(`Change ${counted(count, 'project')}?`);
}

function showResults(results: readonly Schemas['AppliedSite'][], output: CliOutput): number {
  const refused = results.filter(({ error }) => error !== null);
  const done = results.filter(({ result }) => result === 'applied').length;
  const lines = refused.map(({ key, file, error }) => `✗ ${key} (${file}): ${error?.message ?? ''}`);
  output.result({ projects: results }, () =>
    [...lines, `Changed ${counted(done, 'project')}${refused.length > 0 ? `, ${String(refused.length)} refused` : ''}`].join('\n'),
  );
  return refused.length > 0 ? 1 : 0;
}
