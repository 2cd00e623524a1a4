import type { ImportedHistory } from './counted-days.ts';
import { ImportFindings } from './findings.ts';
import type { Importer } from './importer.ts';
import type { ImportSource } from './import-source.ts';
import { SourceSecrets } from './source-secrets.ts';
import type { ImportedCheck, ImportedGroup, ImportedSite } from './imported-site.ts';
import { type ImportedStatusPage, statusPagesOf } from './imported-status-page.ts';
import { sitesOfMonitors } from './sites-of-monitors.ts';
import { ScheduleMaintenanceDto } from '../projects/maintenance/maintenance.api.ts';
import { SiteFile, SiteFileCheck } from '../site-files/site-file.dto.ts';
import { type InputClass, readInput } from '../platform/http/validation/input.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { SiteBuilder } from '../site-files/command-line/built-site.ts';

/** Sites as the service would take them: what it would refuse is left out, with its reason. */
async function admittedSites(sites: readonly ImportedSite[], findings: ImportFindings): Promise<readonly ImportedSite[]> {
  const builder = new SiteBuilder();
  try {
    const admitted: ImportedSite[] = [];
    for (const site of sites) admitted.push(...(await admittedSite(site, builder, findings)));
    return admitted;
  } finally {
    await builder.close();
  }
}

async function admittedSite(given: ImportedSite, builder: SiteBuilder, findings: ImportFindings): Promise<readonly ImportedSite[]> {
  const groups = given.groups.map((group) => ({
    ...group,
    checks: group.checks.filter((check) => isReadable(SiteFileCheck, check, check.name, findings)),
  }));
  const maintenance = given.maintenance?.filter((window) =>
    isReadable(ScheduleMaintenanceDto, window, `maintenance ${window.note}`, findings),
  );
  const site = withoutEmptyGroups({ ...given, groups, ...(maintenance !== undefined && { maintenance }) });
  const read = attempt(() => readInput(SiteFile, site), site.title, findings);
  if (read === null) return [];
  const { problems } = await builder.build({ site: read, document: { value: site, placeOf: () => ({ line: 1, column: 1 }) } });
  const refused = new Map<ImportedCheck | ImportedGroup, string>();
  for (const { message } of problems) {
    const [, group, check, reason = ''] = /^groups\.(\d+)\.(?:checks\.(\d+)\.)?(.*)/s.exec(message) ?? [];
    const owner = site.groups[Number(group)];
    const object = check === undefined ? owner : owner?.checks[Number(check)];
    if (object !== undefined && !refused.has(object)) refused.set(object, reason);
  }
  for (const [{ name }, reason] of refused) findings.leaveOut(name, reason);
  const kept = site.groups.flatMap((group) =>
    refused.has(group) ? [] : [{ ...group, checks: group.checks.filter((check) => !refused.has(check)) }],
  );
  // Where the source has no check, the site itself is watched.
  const hadChecks = given.groups.some(({ checks }) => checks.length > 0);
  return [withoutEmptyGroups({ ...site, groups: kept })].filter((one) => !hadChecks || one.groups.length > 0);
}

const withoutEmptyGroups = (site: ImportedSite): ImportedSite => ({
  ...site,
  groups: site.groups.filter(({ checks }) => checks.length > 0),
});

const isReadable = (input: InputClass, given: object, name: string, findings: ImportFindings): boolean =>
  attempt(() => readInput(input, given), name, findings) !== null;

function attempt<Read>(read: () => Read, name: string, findings: ImportFindings): Read | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    findings.leaveOut(name, error.problems[0]?.message ?? error.message);
    return null;
  }
}

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
