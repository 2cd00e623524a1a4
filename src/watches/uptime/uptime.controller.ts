import { Controller, Get, Query } from '@nestjs/common';
import { announcedWithin, maintenanceWithin } from '../../projects/maintenance/occurrences.ts';
import type { TimeSpan } from '../../kernel/instants.ts';
import { importedUptimeView } from '../imported-uptime/imported-uptime.view.ts';
import { maintenanceView, type MaintenanceWindowRow } from '../../projects/maintenance/maintenance.view.ts';
import { UptimeReader } from './uptime.reader.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { requestedInstant, requestNow } from '../../platform/http/as-of/as-of.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import { presentImportedShare } from '../imported-uptime/imported-uptime.presenter.ts';
import { readSpan } from '../../platform/http/spans/span-input.ts';
import { presentUptime } from './uptime.presenter.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { readBoolean } from '../../platform/http/validation/fields.ts';
import { presentWindow } from '../../projects/maintenance/maintenance.presenter.ts';
import type { ReportedMaintenanceAnswer } from './uptime.api.ts';

interface MaintenanceSpans {
  readonly all: readonly TimeSpan[];
  readonly announced: readonly TimeSpan[];
}

/** The maintenance of a report, whether or not it is excluded: what was announced, what was entered afterwards, and by which events. */
function presentMaintenance(
  windows: readonly MaintenanceWindowRow[],
  { all, announced }: MaintenanceSpans,
  span: TimeSpan,
  now: number,
): ReportedMaintenanceAnswer {
  const announcedSeconds = secondsOf(announced);
  return {
    announcedSeconds,
    afterwardsSeconds: secondsOf(all) - announcedSeconds,
    windows: windows.filter((window) => maintenanceWithin([window], span).length > 0).map((window) => presentWindow(window, now)),
  };
}

const secondsOf = (spans: readonly TimeSpan[]): number => spans.reduce((sum, { from, to }) => sum + (to - from), 0) / 1000;

@Controller('project/:id')
export class UptimeController {
  constructor(
    private readonly uptimes: UptimeReader,
    private readonly views: ViewsAt,
  ) {}

  @Get('uptime')
  @Needs(projectRight('read'))
  async report(@CurrentProject() { projectId, row }: ProjectAccess, @Query() query: Record<string, unknown>): Promise<object> {
    const now = requestNow();
    const span = readSpan(query, now);
    const exclusion = readExclusion(query);
    const [from, to] = [span.start.at, span.end.at];
    const past = { from, to: Math.min(to, now) };
    const views = this.views.now();
    const windows = (await views.get(maintenanceView, projectId))?.windows ?? [];
    const ofOthers = await views.get(importedUptimeView, projectId);
    const spans = { all: maintenanceWithin(windows, past), announced: announcedWithin(windows, past) };
    const excluded = excludedBy(exclusion, spans);
    const request = { from, to, now, offsetMinutes: span.start.offsetMinutes, excluded, recordedUntil: requestedInstant() };
    const totals = await this.uptimes.totals(projectId, request);
    return presentUptime({
      span,
      totals,
      isUptimeEnabled: row.settings.uptimePeriod !== 'false',
      withoutMaintenance: exclusion !== 'none',
      maintenance: presentMaintenance(windows, spans, past, now),
      imported: presentImportedShare(ofOthers, { from, to }, span.start.offsetMinutes),
    });
  }
}

const excludedBy = (exclusion: Exclusion, { all, announced }: MaintenanceSpans): readonly TimeSpan[] =>
  exclusion === 'none' ? [] : exclusion === 'announced' ? announced : all;

/** Which maintenance a report leaves out: none, only what was recorded before it began, or all. */
type Exclusion = 'none' | 'announced' | 'all';

/** `?excludeMaintenance`, `=true`, `=announced`. */
function readExclusion({ excludeMaintenance: value }: Readonly<Record<string, unknown>>): Exclusion {
  if (value === 'announced') return value;
  const isExcluded = value === undefined ? false : value === '' ? true : readBoolean(value);
  if (isExcluded === undefined)
    throw new InvalidInput('excludeMaintenance: must be true, false or announced', { allowed: [true, false, 'announced'] });
  return isExcluded ? 'all' : 'none';
}
