import { Controller, Get, Inject, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { ResponseTimes } from '../../projections/read-models/response-times/response-times.query.ts';
import { Accessed } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/project-access.ts';
import { readSpan } from '../spans/span-input.ts';
import { readResolution } from './resolution.ts';
import { presentResponseTime } from './response-times.presenter.ts';
import { Needs } from '../rights/needs.ts';
import { project } from '../rights/right.ts';

@Controller('project/:id')
export class ResponseTimesController {
  private readonly clock: Clock = systemClock;

  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get('responseTimes')
  @Needs(project('read'))
  async list(@Accessed() { projectId }: ProjectAccess, @Query() query: Record<string, unknown>): Promise<readonly object[]> {
    const now = this.clock.now();
    const { start, end } = readSpan(query, now);
    const resolutionMs = readResolution(query, start.at, end.at);
    const times = await this.queries.execute(new ResponseTimes(projectId, { from: start.at, to: Math.min(end.at, now), resolutionMs }));
    return times.map((time) => presentResponseTime(time, start.offsetMinutes));
  }
}
