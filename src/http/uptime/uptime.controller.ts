import { Controller, Get, Inject, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { MaintenanceWithin } from '../../projections/read-models/maintenance/maintenance-within.query.ts';
import { UptimeReport } from '../../projections/read-models/uptime/uptime-report.query.ts';
import { Accessed } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/project-access.ts';
import { readSpan, readSwitch } from '../spans/span-input.ts';
import { presentUptime } from './uptime.presenter.ts';
import { Needs } from '../rights/needs.ts';
import { project } from '../rights/right.ts';

@Controller('project/:id')
export class UptimeController {
  private readonly clock: Clock = systemClock;

  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get('uptime')
  @Needs(project('read'))
  async report(@Accessed() { projectId, row }: ProjectAccess, @Query() query: Record<string, unknown>): Promise<object> {
    const now = this.clock.now();
    const span = readSpan(query, now);
    const withoutMaintenance = readSwitch(query, 'excludeMaintenance');
    const [from, to] = [span.start.at, span.end.at];
    const excluded = withoutMaintenance
      ? await this.queries.execute(new MaintenanceWithin(projectId, { from, to: Math.min(to, now) }))
      : [];
    const totals = await this.queries.execute(
      new UptimeReport(projectId, { from, to, now, offsetMinutes: span.start.offsetMinutes, excluded }),
    );
    return presentUptime({ span, totals, isUptimeEnabled: row.settings.uptimePeriod !== 'false', withoutMaintenance });
  }
}
