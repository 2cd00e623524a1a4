import type { CliCommand } from '../platform/cli/command.ts';
import { givenFiles } from './command-line/given-files.ts';
import { inOneLine } from './read-site-files.ts';
import { counted } from '../kernel/text.ts';
import { validSites } from './command-line/valid-sites.ts';

/** docs/site-files.md. */
export const command: CliCommand = {
  about: 'Check site files without a server: each problem with its file, line and column',
  args: ['[FILE...]'],
  run: async ({ input, output }) => {
    const { sites, pages, problems } = await validSites(givenFiles(input.args));
    const checks = sites.flatMap(({ site }) => site.groups).reduce((sum, group) => sum + group.checks.length, 0);
    output.result(
      {
        valid: problems.length === 0,
        problems,
        sites: sites.map(({ site }) => site.key),
        checks,
        statusPages: pages.map(({ page }) => page.slug),
      },
      problems.length === 0
        ? `Valid: ${counted(sites.length, 'site')}, ${counted(checks, 'check')}${pages.length === 0 ? '' : `, ${counted(pages.length, 'status page')}`}`
        : [...problems.map(inOneLine), `Not valid: ${counted(problems.length, 'problem')}`].join('\n'),
    );
    return problems.length === 0 ? 0 : 2;
  },
};
