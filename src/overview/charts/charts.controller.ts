import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ResponseTimesReader } from '../../watches/response-times/response-times.reader.ts';
import { UptimeReader } from '../../watches/uptime/uptime.reader.ts';
import { requestedInstant, requestNow } from '../../platform/http/as-of/as-of.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import { readSpan } from '../../platform/http/spans/span-input.ts';
import { PICTURE_HEADERS, readTheme } from './palette.ts';
import { chartResolution, responseTimesChart } from './response-times-chart.ts';
import { uptimeChart } from './uptime-chart.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { DAY_MS } from '../../kernel/time.ts';

/** Reports as SVG charts, by default of the last 30 days (uptime) and 7 days (response times). */
@Controller('project/:id')
export class ChartsController {
  constructor(
    private readonly uptimes: UptimeReader,
    private readonly times: ResponseTimesReader,
  ) {}

  @Get('uptime.svg')
  @Needs(projectRight('read'))
  async uptime(
    @CurrentProject() { projectId, row }: ProjectAccess,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const [now, theme] = [requestNow(), readTheme(query)];
    const { start, end } = readSpan(query, now, { lengthMs: 30 * DAY_MS });
    const span = { from: start.at, to: end.at, now };
    const known = await this.uptimes.knownIntervals(projectId, { ...span, recordedUntil: requestedInstant() });
    setChartHeaders(reply);
    return uptimeChart({ ...span, title: `Uptime of ${row.settings.title}`, theme, offsetMinutes: start.offsetMinutes, known });
  }

  @Get('responseTimes.svg')
  @Needs(projectRight('read'))
  async responseTimes(
    @CurrentProject() { projectId, row }: ProjectAccess,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const [now, theme] = [requestNow(), readTheme(query)];
    const { start, end } = readSpan(query, now, { lengthMs: 7 * DAY_MS });
    const [from, to] = [start.at, end.at];
    const resolutionMs = chartResolution(to - from);
    const request = { from, to: Math.min(to, now), resolutionMs, recordedUntil: requestedInstant() };
    const times = await this.times.between(projectId, request);
    setChartHeaders(reply);
    return responseTimesChart({
      title: `Response times of ${row.settings.title}`,
      theme,
      from,
      to,
      offsetMinutes: start.offsetMinutes,
      resolutionMs,
      times,
    });
  }
}

function setChartHeaders(reply: FastifyReply): void {
  void reply.type('image/svg+xml; charset=utf-8').headers({ ...PICTURE_HEADERS, 'cache-control': 'private, max-age=60' });
}
