import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isMap, isScalar, visit } from 'yaml';
import type { WatchledgerClient } from '../client/client.ts';
import { applyImport, type ImportToApply } from './apply-import.ts';
import { findingLines } from './findings.ts';
import { type ImportResult, sitesOf } from './import-result.ts';
import { importerTable } from './importer-table.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import { type CliCommand, type CliInput, type CliOutput, WrongUse } from '../platform/cli/command.ts';
import { connect, serverOptions } from '../platform/cli/server/connect.ts';
import { resultLines } from '../site-files/command-line/apply-sites.ts';
import { counted } from '../kernel/text.ts';
import { importOrigin } from './import-key.ts';
import type { ImportedSite } from './imported-site.ts';
import type { ImportedStatusPage } from './imported-status-page.ts';

const SECRETS = 'secrets.env';

interface WrittenSites {
  readonly files: readonly string[];
  /** Null when the source has no secrets. */
  readonly secretsFile: string | null;
  /** Bodies of `PUT /project/{id}/imported-uptime`. */
  readonly historyFiles: readonly string[];
}

/** A file for each site, named by its key, one for each status page, one for what its source measured, and one that only its owner reads with the values of secrets. */
function writeSites(folder: string, kind: string, { sites, pages, secrets, histories }: ImportResult): WrittenSites {
  const comment = `Imported by watchledger import ${kind}`;
  const files = [
    ...sites.map((site) => ({ path: join(folder, `${idOf(site)}.yaml`), written: site, line: `key: ${site.key}` })),
    ...pages.map((page) => {
      const { slug } = page.statusPage;
      return { path: join(folder, `status-page-${slug}.yaml`), written: page, line: `  slug: ${slug}` };
    }),
  ];
  for (const { path, line } of files) refuseToReplaceOther(path, line);
  mkdirSync(folder, { recursive: true });
  const secretsFile = secrets.values.size + secrets.unknownNames.size === 0 ? null : join(folder, SECRETS);
  if (secretsFile !== null) {
    // The mode counts for a new file only.
    writeFileSync(secretsFile, '', { mode: 0o600 });
    writeFileSync(secretsFile, secrets.asShellVariables());
  }
  for (const { path, written } of files) writeFileSync(path, siteYaml(written, comment));
  const historyFiles = sites.flatMap((site) => {
    const history = histories.get(site.key);
    if (history === undefined) return [];
    const path = join(folder, `${idOf(site)}.history.json`);
    writeFileSync(path, `${JSON.stringify({ origin: importOrigin(kind), ...history })}\n`);
    return [path];
  });
  return { files: files.map(({ path }) => path), secretsFile, historyFiles };
}

const idOf = ({ key }: ImportedSite): string => key.slice(key.lastIndexOf(':') + 1);

/** A second import replaces the files of the first, and no others. */
function refuseToReplaceOther(path: string, line: string): void {
  if (existsSync(path) && !readFileSync(path, 'utf8').includes(`\n${line}\n`))
    throw new StartRefused(`${path}: exists and is not of an earlier import of ${line.replace(/^.*: /, '')}`);
}

/** A site or a status page as a file: fields in the order of its document, a rule, a window and an item on a line. */
function siteYaml(site: ImportedSite | ImportedStatusPage, comment: string): string {
  const document = new Document(site);
  document.commentBefore = ` ${comment}`;
  visit(document, {
    Map: (_, node) => {
      if (node.has('op') && node.has('val')) node.flow = true;
      if ((node.has('from') && node.has('to')) || node.has('project')) node.flow = true;
    },
    Pair: (_, { key, value }) => {
      if (String(key) === 'httpAuth' && isMap(value)) value.flow = true;
      const isNumber = /^(?:val|uptimeEnabled)$/.test(String(key)) && isScalar(value) && /^(?:0|[1-9]\d{0,9})$/.test(String(value.value));
      if (isNumber) value.value = Number(value.value);
    },
  });
  return document.toString({ lineWidth: 0 });
}

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
