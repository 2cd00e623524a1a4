import { ScheduleMaintenanceDto } from '../projects/maintenance/maintenance.dto.ts';
import { SiteFile, SiteFileCheck } from '../site-files/site-file.dto.ts';
import { type InputClass, readInput } from '../platform/http/validation/input.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { SiteBuilder } from '../site-files/command-line/built-site.ts';
import type { ImportFindings } from './findings.ts';
import type { ImportedCheck, ImportedGroup, ImportedSite } from './imported-site.ts';

/** Sites as the service would take them: what it would refuse is left out, with its reason. */
export async function admittedSites(sites: readonly ImportedSite[], findings: ImportFindings): Promise<readonly ImportedSite[]> {
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
  return [withoutEmptyGroups({ ...site, groups: kept })].filter((one) => one.groups.length > 0);
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
