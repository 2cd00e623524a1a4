import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ImportFinding, ImportFindings } from '../../src/cli/import/findings.ts';
import { importerTable } from '../../src/cli/import/importer-table.ts';
import { SecretValues } from '../../src/cli/import/secret-values.ts';
import type { CheckDocument, SiteDocument } from '../../src/cli/import/site-document.ts';
import { sitesOfMonitors } from '../../src/cli/import/sites-of-monitors.ts';

export interface ImportedText {
  readonly sites: readonly SiteDocument[];
  readonly checks: readonly CheckDocument[];
  readonly findings: readonly ImportFinding[];
  readonly secrets: ReadonlyMap<string, string>;
}

/** What a kind makes of a source, before the rules of the service refuse any of it. */
export async function imported(kind: string, name: string, env: Readonly<Record<string, string>> = {}): Promise<ImportedText> {
  const importer = importerTable[kind];
  if (importer === undefined) throw new Error(`there is no kind ${kind}`);
  const [findings, secrets] = [new ImportFindings(), new SecretValues()];
  const contents = await importer.read({ name, env }, { findings, secrets });
  const sites = 'sites' in contents ? contents.sites : sitesOfMonitors(contents.monitors, { kind, findings, secrets });
  const checks = sites.flatMap(({ groups }) => groups.flatMap((group) => group.checks));
  return { sites, checks, findings: findings.all, secrets: secrets.values };
}

/** The same of a file with this content. */
export async function importedText(
  kind: string,
  content: string | Uint8Array,
  env: Readonly<Record<string, string>> = {},
): Promise<ImportedText> {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-import-'));
  try {
    writeFileSync(join(folder, 'source'), content);
    return await imported(kind, join(folder, 'source'), env);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const reasonsOf = ({ findings }: ImportedText): readonly string[] =>
  findings.map(({ kind, name, reason }) => `${kind}: ${name}: ${reason}`);
