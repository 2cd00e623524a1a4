import type { WatchledgerClient } from '../client/client.ts';
import { applyImport, type ImportToApply } from './apply-import.ts';
import { findingLines } from './findings.ts';
import { type ImportResult, sitesOf } from './import-result.ts';
import { importerTable } from './importer-table.ts';
import { writeSites, type WrittenSites } from './written-sites.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import { type CliCommand, type CliInput, type CliOutput, WrongUse } from '../platform/cli/command.ts';
import { connect, serverOptions } from '../platform/cli/server/connect.ts';
import { resultLines } from '../site-files/command-line/apply-sites.ts';
import { counted } from '../site-files/command-line/counted.ts';

/** docs/import.md. */
export const command: CliCommand = {
  about: `Import the settings of another monitor. KIND: ${Object.keys(importerTable).join(', ')}`,
  args: ['KIND', 'SOURCE'],
  options: {
    to: { type: 'string', value: 'DIR', about: 'write site files into this folder' },
    apply: { type: 'boolean', about: 'make projects of a server: shows the plan and asks' },
    ...serverOptions,
    'keep-secrets': { type: 'boolean', about: 'with --apply: leave saved secrets as they are whose value the source does not show' },
    yes: { type: 'boolean', about: 'with --apply: do not ask' },
  },
  run: async ({ input, output }) => {
    const [kind = '', name = ''] = input.args;
    const importer = Object.hasOwn(importerTable, kind) ? importerTable[kind] : undefined;
    if (importer === undefined) throw new WrongUse(`KIND: '${kind}' is not one of ${Object.keys(importerTable).join(', ')}`);
    if (input.flag('apply') && input.text('to') !== undefined) throw new WrongUse('--apply and --to exclude each other');
    const client = input.flag('apply') ? connect(input) : null;
    const result = await sitesOf(kind, importer, { name, env: process.env, now: Date.now() });
    if (result.sites.length === 0 && result.findings.namesLeftOut().size === 0)
      throw new StartRefused(`${name}: nothing to import was found; expected: ${importer.source}`);
    const report = reportOf(importer.product, result);
    if (client === null) return writeOrShow(kind, result, report, input, output);
    output.say(report.join('\n'));
    const chosen = { kind, source: name, isConfirmed: input.flag('yes'), keepSecrets: input.flag('keep-secrets') };
    return applyAll(client, { ...result, ...chosen }, output);
  },
};

function reportOf(product: string, { sites, pages, findings, histories }: ImportResult): readonly string[] {
  const checks = sites.flatMap(({ groups }) => groups.flatMap((group) => group.checks)).length;
  const days = [...histories.values()].reduce((sum, { up }) => sum + up.length, 0);
  const amounts = [
    counted(sites.length, 'site'),
    counted(checks, 'check'),
    ...(pages.length === 0 ? [] : [counted(pages.length, 'status page')]),
  ];
  return [
    `${product}: ${amounts.join(', ')}, ${String(findings.namesLeftOut().size)} left out`,
    ...(days === 0 ? [] : [`History: ${counted(days, 'day')} of ${counted(histories.size, 'site')}`]),
    ...findingLines(findings.all),
  ];
}

async function applyAll(client: WatchledgerClient, wanted: ImportToApply, output: CliOutput): Promise<number> {
  const done = await applyImport(client, wanted, output);
  if (done === null) return 1;
  const { results, histories, hasRefused } = done;
  output.result({ kind: wanted.kind, findings: wanted.findings.all, ...results, histories }, () =>
    [...resultLines(results), ...(histories.length === 0 ? [] : [`Imported the history of ${counted(histories.length, 'site')}`])].join(
      '\n',
    ),
  );
  return hasRefused ? 1 : 0;
}

function writeOrShow(kind: string, result: ImportResult, report: readonly string[], input: CliInput, output: CliOutput): number {
  const { sites, pages, findings, secrets, histories } = result;
  const folder = input.text('to');
  const written = folder === undefined || sites.length === 0 ? null : writeSites(folder, kind, result);
  const shown = {
    kind,
    sites,
    statusPages: pages,
    findings: findings.all,
    secrets: [...secrets.values.keys()],
    histories: Object.fromEntries(histories),
  };
  output.result({ ...shown, ...(written ?? {}) }, () =>
    [...report, ...(written === null ? [] : writtenLines(folder ?? '', written, secrets.values.size))].join('\n'),
  );
  return sites.length === 0 || written !== null ? 0 : 3;
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
