import { type ImportResult, sitesOf } from '../import/import-result.ts';
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
    const result = await sitesOf(kind, importer, { name, env: process.env, now: Date.now() });
    const { sites, findings, secrets, histories } = result;
    const folder = input.text('to');
    const written = folder === undefined || sites.length === 0 ? null : writeSites(folder, kind, result);
    const checks = sites.flatMap(({ groups }) => groups.flatMap((group) => group.checks)).length;
    const sum = `${importer.product}: ${counted(sites.length, 'site')}, ${counted(checks, 'check')}, ${String(findings.namesLeftOut().size)} left out`;
    const shown = { kind, sites, findings: findings.all, secrets: [...secrets.values.keys()], histories: Object.fromEntries(histories) };
    output.result({ ...shown, ...(written ?? {}) }, () =>
      [
        sum,
        ...historyLines(histories),
        ...findingLines(findings.all),
        ...(written === null ? [] : writtenLines(folder ?? '', written, secrets.values.size)),
      ].join('\n'),
    );
    return sites.length === 0 || written !== null ? 0 : 3;
  },
};

const counted = (count: number, what: string): string => `${String(count)} ${count === 1 ? what : `${what}s`}`;

function historyLines(histories: ImportResult['histories']): readonly string[] {
  const days = [...histories.values()].reduce((sum, { up }) => sum + up.length, 0);
  return days === 0 ? [] : [`History: ${counted(days, 'day')} of ${counted(histories.size, 'site')}`];
}

const writtenLines = (folder: string, { files, secretsFile, historyFiles }: WrittenSites, secrets: number): readonly string[] => [
  '',
  `Written: ${counted(files.length, 'site file')} in ${folder}`,
  ...(secretsFile === null
    ? []
    : [
        `${counted(secrets, 'secret')} in ${secretsFile}, for its owner alone; keep it out of version control. Use: set -a; . ${secretsFile}`,
      ]),
  ...(historyFiles.length === 0
    ? []
    : [`${counted(historyFiles.length, 'history file')} in ${folder}, each the body of PUT /project/{id}/imported-uptime`]),
];
