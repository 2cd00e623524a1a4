import { admittedSites } from './admitted-sites.ts';
import { ImportFindings } from './findings.ts';
import type { Importer } from './importer.ts';
import type { ImportSource } from './import-source.ts';
import { SecretValues } from './secret-values.ts';
import type { SiteDocument } from './site-document.ts';
import { sitesOfMonitors } from './sites-of-monitors.ts';

export interface ImportedSites {
  readonly sites: readonly SiteDocument[];
  readonly findings: ImportFindings;
  readonly secrets: SecretValues;
}

/** Reads a source into sites that the service takes, and what they lack. */
export async function sitesOf(kind: string, importer: Importer, source: ImportSource): Promise<ImportedSites> {
  const [findings, secrets] = [new ImportFindings(), new SecretValues()];
  const contents = await importer.read(source, { findings, secrets });
  const sites = 'sites' in contents ? contents.sites : sitesOfMonitors(contents.monitors, { kind, findings, secrets });
  return { sites: await admittedSites(sites, findings), findings, secrets };
}
