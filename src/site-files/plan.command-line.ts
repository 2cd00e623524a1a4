import { writeFileSync } from 'node:fs';
import type { CliCommand } from '../platform/cli/command.ts';
import { connect, serverOptions } from '../platform/cli/server/connect.ts';
import { hasErrors } from './command-line/apply-sites.ts';
import { commitOf, planOptions, planOptionsOf, plannedFiles, refusedFiles } from './command-line/planned-files.ts';
import { givenFiles, localSecrets } from './command-line/given-files.ts';
import { keptPlan } from './command-line/plan-file.ts';
import { paintFor, planText } from './command-line/plan-text.ts';
import { SitePlanning } from './command-line/server-plans.ts';
import { pageKeyOf } from './command-line/site-requests.ts';

/** docs/site-files.md. */
export const command: CliCommand = {
  about: 'Show what site files change on a server, field by field; ends with 3 where there are changes',
  args: ['[FILE...]'],
  options: {
    ...serverOptions,
    ...planOptions,
    history: {
      type: 'string',
      value: 'DAYS',
      about: 'judge the kept pages of so many days by the changed rules, such as 30d',
      problemOf: (value) => (/^[1-9]\d{0,2}d$/.test(value) ? null : 'must be a number of days such as 30d'),
    },
    out: { type: 'string', value: 'FILE', about: 'keep the plan in a file, which apply carries out exactly' },
  },
  run: async ({ input, output }) => {
    const client = connect(input);
    const files = givenFiles(input.args);
    const options = planOptionsOf(input);
    const planning = new SitePlanning(client, localSecrets, { ...options, history: input.text('history') }, files.length);
    const { sent, problems } = await plannedFiles(files, planning);
    if (problems.length > 0) return refusedFiles(output, problems);
    const plans = await planning.plans(sent);
    const out = input.text('out');
    if (out !== undefined) {
      const named = [...plans.projects, ...plans.statusPages.map((page) => ({ ...page, key: pageKeyOf(page) }))];
      const tokens = Object.fromEntries(named.filter(({ error }) => error === null).map(({ key, plan }) => [key, plan]));
      const commit = commitOf(files.map(({ name }) => name)) ?? null;
      writeFileSync(out, JSON.stringify(keptPlan({ ...options, sites: sent, plans: tokens, commit })));
    }
    output.result(plans, () => planText(plans, paintFor(process.stdout.isTTY)));
    if (hasErrors(plans)) return 1;
    return [...plans.projects, ...plans.statusPages].some(({ action }) => action !== 'none') ? 3 : 0;
  },
};
