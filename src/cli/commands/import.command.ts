import { sitesOf } from '../import/import-result.ts';
import { findingLines } from '../import/findings.ts';
import { importerTable } from '../import/importer-table.ts';
import { writeSites, type WrittenSites } from '../import/written-sites.ts';
import { type CliCommand, WrongUse } from '../command.ts';

/** docs/import.md. */
export const command: CliCommand = {
  about: `Import the settings of another monitor. KIND: ${Object.keys(importerTable).join(', ')}`,
  args: ['KIND', 'SOURCE'],
  options: { to: { type: 'string', value: 'DIR', about: 'write site files into this folder' } },
  run: async ({ input, output }) => {
    const [kind = '', name = ''] = input.args;
    const importer = Object.hasOwn(importerTable, kind) ? importerTable[kind] : undefined;
    if (importer === undefined) throw new WrongUse(`KIND: '${kind}' is not one of ${Object.keys(importerTable).join(', ')}`);
    const { sites, findings, secrets } = await sitesOf(kind, importer, { name, env: process.env });
    const folder = input.text('to');
    const written = folder === undefined || sites.length === 0 ? null : writeSites(folder, kind, sites, secrets);
    const checks = sites.flatMap(({ groups }) => groups.flatMap((group) => group.checks)).length;
    const sum = `${importer.product}: ${counted(sites.length, 'site')}, ${counted(checks, 'check')}, ${String(findings.namesLeftOut().size)} left out`;
    output.result({ kind, sites, findings: findings.all, secrets: [...secrets.values.keys()], ...(written ?? {}) }, () =>
      [sum, ...findingLines(findings.all), ...(written === null ? [] : writtenLines(folder ?? '', written, secrets.values.size))].join(
        '\n',
      ),
    );
    return sites.length === 0 || written !== null ? 0 : 3;
  },
};

const counted = (count: number, what: string): string => `${String(count)} ${count === 1 ? what : `${what}s`}`;

const writtenLines = (folder: string, { files, secretsFile }: WrittenSites, secrets: number): readonly string[] => [
  '',
  `Written: ${counted(files.length, 'site file')} in ${folder}`,
  ...(secretsFile === null
    ? []
    : [
        `${counted(secrets, 'secret')} in ${secretsFile}, for its owner alone; keep it out of version control. Use: set -a; . ${secretsFile}`,
      ]),
];
