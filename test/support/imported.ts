import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportedHistory } from '../../src/import/counted-days.ts';
import { type ImportFinding, ImportFindings } from '../../src/import/findings.ts';
import { importerTable } from '../../src/import/importer-table.ts';
import { SourceSecrets } from '../../src/import/source-secrets.ts';
import type { ImportedCheck, ImportedSite } from '../../src/import/imported-site.ts';
import { type ImportedStatusPage, statusPagesOf } from '../../src/import/imported-status-page.ts';
import { sitesOfMonitors } from '../../src/import/sites-of-monitors.ts';

export interface ImportedText {
  readonly sites: readonly ImportedSite[];
  readonly checks: readonly ImportedCheck[];
  readonly pages: readonly ImportedStatusPage[];
  readonly findings: readonly ImportFinding[];
  readonly secrets: ReadonlyMap<string, string>;
  readonly histories: ReadonlyMap<string, ImportedHistory>;
}

/** After the days of the samples. */
const NOW = Date.UTC(2027, 0, 1);

/** What a kind makes of a source, before the rules of the service refuse any of it. */
export async function imported(kind: string, name: string, env: Readonly<Record<string, string>> = {}): Promise<ImportedText> {
  const importer = importerTable[kind];
  if (importer === undefined) throw new Error(`there is no kind ${kind}`);
  const [findings, secrets] = [new ImportFindings(), new SourceSecrets()];
  const histories = new Map<string, ImportedHistory>();
  const contents = await importer.read({ name, env, now: NOW }, { findings, secrets });
  const sites = 'sites' in contents ? contents.sites : sitesOfMonitors(contents.monitors, { kind, findings, secrets, histories });
  const checks = sites.flatMap(({ groups }) => groups.flatMap((group) => group.checks));
  const pages = 'pages' in contents ? statusPagesOf(contents.pages ?? [], sites, kind, findings) : [];
  return { sites, checks, pages, findings: findings.all, secrets: secrets.values, histories };
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
