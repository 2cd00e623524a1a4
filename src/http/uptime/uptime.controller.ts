import { Controller, Get, Inject, Query } from '@nestjs/common';
import { announcedWithin, maintenanceWithin } from '../../domain/maintenance/occurrences.ts';
import type { TimeSpan } from '../../kernel/instants.ts';
import { importedUptimeView } from '../../projections/read-models/imported-uptime/imported-uptime.view.ts';
import { maintenanceView } from '../../projections/read-models/maintenance/maintenance.view.ts';
import { UptimeReader } from '../../projections/read-models/uptime/uptime.reader.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { requestedInstant, requestNow } from '../as-of/as-of.ts';
import { CurrentProject } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import { presentImportedShare } from '../imported-uptime/imported-uptime.presenter.ts';
import { readSpan } from '../spans/span-input.ts';
import { type MaintenanceSpans, presentMaintenance } from './maintenance.presenter.ts';
import { type Exclusion, readExclusion } from './exclusion-input.ts';
import { presentUptime } from './uptime.presenter.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';

@Controller('project/:id')
export class UptimeController {
  constructor(
    @Inject(UptimeReader) private readonly uptimes: UptimeReader,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
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
