import { Controller, Get, Query } from '@nestjs/common';
import { type ResponseTime, ResponseTimesReader } from './response-times.reader.ts';
import { requestedInstant, requestNow } from '../../platform/http/as-of/as-of.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import { readSpan } from '../../platform/http/spans/span-input.ts';
import { readResolution } from './resolution.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { formatInstant } from '../../kernel/instants.ts';
import type { ResponseTimeAnswer } from './response-times.api.ts';

@Controller('project/:id')
export class ResponseTimesController {
  constructor(private readonly reader: ResponseTimesReader) {}

  @Get('responseTimes')
  @Needs(projectRight('read'))
  async list(@CurrentProject() { projectId }: ProjectAccess, @Query() query: Record<string, unknown>): Promise<readonly object[]> {
    const now = requestNow();
    const { start, end } = readSpan(query, now);
    const resolutionMs = readResolution(query, start.at, end.at);
    const request = { from: start.at, to: Math.min(end.at, now), resolutionMs, recordedUntil: requestedInstant() };
    const times = await this.reader.between(projectId, request);
    return times.map((time) => presentResponseTime(time, start.offsetMinutes));
  }
}

/** docs/spec/interface.md#response-time-record. */
export function presentResponseTime({ at, means, percentiles }: ResponseTime, offsetMinutes: number): ResponseTimeAnswer {
  const [dns = 0, connect = 0, tls = 0, request = 0, waiting = 0, download = 0, total = 0] = means.map(toThousandth);
  return {
    responseDate: formatInstant(at, offsetMinutes),
    dnsLookupTime: dns,
    initialConnectionTime: connect,
    sslTime: tls,
    requestTime: request,
    waitingTime: waiting,
    contentDownloadTime: download,
    totalResponseTime: total,
    ...(percentiles !== null && {
      p50: toThousandth(percentiles.p50),
      p95: toThousandth(percentiles.p95),
      p99: toThousandth(percentiles.p99),
    }),
  };
}

const toThousandth = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
