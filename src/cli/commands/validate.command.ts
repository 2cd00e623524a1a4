import type { CliCommand } from '../command.ts';
import { SiteBuilder } from '../site-files/built-site.ts';
import { givenFiles } from '../site-files/given-files.ts';
import { type FileProblem, inOneLine, readGivenSites } from '../site-files/read-given-sites.ts';

/** docs/site-files.md. */
export const command: CliCommand = {
  about: 'Check site files without a server: each problem with its file, line and column',
  args: ['[FILE...]'],
  run: async ({ input, output }) => {
    const { sites, problems: ofFiles } = readGivenSites(givenFiles(input.args));
    const builder = new SiteBuilder();
    const problems: FileProblem[] = [...ofFiles];
    try {
      for (const site of sites) {
        const { problems: found } = await builder.build(site);
        problems.push(...found.map((problem) => ({ file: site.file, ...problem })));
      }
    } finally {
      await builder.close();
    }
    const counted = sites.map(({ site }) => site.groups.reduce((sum, { checks }) => sum + checks.length, 0));
    const checks = counted.reduce((sum, count) => sum + count, 0);
    output.result(
      { valid: problems.length === 0, problems, sites: sites.map(({ site }) => site.key), checks },
      problems.length === 0
        ? `Valid: ${counts(sites.length, 'site')}, ${counts(checks, 'check')}`
        : [...problems.map(inOneLine), `Not valid: ${counts(problems.length, 'problem')}`].join('\n'),
    );
    return problems.length === 0 ? 0 : 2;
  },
};

const counts = (count: number, what: string): string => `${String(count)} ${count === 1 ? what : `${what}s`}`;
