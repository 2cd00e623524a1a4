import { admittedSites } from './admitted-sites.ts';
import { ImportFindings } from './findings.ts';
import type { Importer } from './importer.ts';
import type { ImportSource } from './import-source.ts';
import { SourceSecrets } from './source-secrets.ts';
import type { ImportedSite } from './imported-site.ts';
import { sitesOfMonitors } from './sites-of-monitors.ts';

export interface ImportResult {
  readonly sites: readonly ImportedSite[];
  readonly findings: ImportFindings;
  readonly secrets: SourceSecrets;
}

/** Reads a source into sites that the service takes, and what they lack. */
export async function sitesOf(kind: string, importer: Importer, source: ImportSource): Promise<ImportResult> {
  const [findings, secrets] = [new ImportFindings(), new SourceSecrets()];
  const contents = await importer.read(source, { findings, secrets });
  const sites = 'sites' in contents ? contents.sites : sitesOfMonitors(contents.monitors, { kind, findings, secrets });
  return { sites: await admittedSites(sites, findings), findings, secrets };
}
