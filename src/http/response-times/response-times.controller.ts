import { Controller, Get, Inject, Query } from '@nestjs/common';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { ResponseTimesReader } from '../../projections/read-models/response-times/response-times.reader.ts';
import { CurrentProject } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/project-access.ts';
import { readSpan } from '../spans/span-input.ts';
import { readResolution } from './resolution.ts';
import { presentResponseTime } from './response-times.presenter.ts';
import { Needs } from '../rights/needs.ts';
import { project } from '../rights/right.ts';

@Controller('project/:id')
export class ResponseTimesController {
  private readonly clock: Clock = systemClock;

  constructor(@Inject(ResponseTimesReader) private readonly reader: ResponseTimesReader) {}

  @Get('responseTimes')
  @Needs(project('read'))
  async list(@CurrentProject() { projectId }: ProjectAccess, @Query() query: Record<string, unknown>): Promise<readonly object[]> {
    const now = this.clock.now();
    const { start, end } = readSpan(query, now);
    const resolutionMs = readResolution(query, start.at, end.at);
    const times = await this.reader.between(projectId, { from: start.at, to: Math.min(end.at, now), resolutionMs });
    return times.map((time) => presentResponseTime(time, start.offsetMinutes));
  }
}
