import { admittedSites } from './admitted-sites.ts';
import type { ImportedHistory } from './counted-days.ts';
import { ImportFindings } from './findings.ts';
import type { Importer } from './importer.ts';
import type { ImportSource } from './import-source.ts';
import { SourceSecrets } from './source-secrets.ts';
import type { ImportedSite } from './imported-site.ts';
import { type ImportedStatusPage, statusPagesOf } from './imported-status-page.ts';
import { sitesOfMonitors } from './sites-of-monitors.ts';

export interface ImportResult {
  readonly sites: readonly ImportedSite[];
  readonly pages: readonly ImportedStatusPage[];
  readonly findings: ImportFindings;
  readonly secrets: SourceSecrets;
  /** What the source measured, by the keys of sites. */
  readonly histories: ReadonlyMap<string, ImportedHistory>;
}

/** Reads a source into sites that the service takes, and what they lack. */
export async function sitesOf(kind: string, importer: Importer, source: ImportSource): Promise<ImportResult> {
  const [findings, secrets] = [new ImportFindings(), new SourceSecrets()];
  const histories = new Map<string, ImportedHistory>();
  const contents = await importer.read(source, { findings, secrets });
  const sites = 'sites' in contents ? contents.sites : sitesOfMonitors(contents.monitors, { kind, findings, secrets, histories });
  const admitted = await admittedSites(sites, findings);
  const keys = new Set(admitted.map(({ key }) => key));
  const pages = 'pages' in contents ? statusPagesOf(contents.pages ?? [], admitted, kind, findings) : [];
  return { sites: admitted, pages, findings, secrets, histories: new Map([...histories].filter(([key]) => keys.has(key))) };
}
