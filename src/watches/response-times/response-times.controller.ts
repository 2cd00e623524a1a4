import { InvalidInput } from '../../kernel/errors.ts';
import { readSwitch, readSpan } from '../../platform/http/spans/span-input.ts';
import { HOUR_MS } from '../../kernel/time.ts';
import { Controller, Get, Query } from '@nestjs/common';
import { type ResponseTime, ResponseTimesReader } from './response-times.reader.ts';
import { requestedInstant, requestNow } from '../../platform/http/as-of/as-of.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { formatInstant } from '../../kernel/instants.ts';
import type { ResponseTimeAnswer } from './response-times.api.ts';

const WEEK = 7 * 24 * HOUR_MS;
/** Bounds the size of an answer with single samples. */
const MAX_RAW_MS = 31 * 24 * HOUR_MS;
/** Beyond it, aggregation would no longer bound the answer. */
const MAX_BUCKETS = 200_000;

/** The default (docs/spec/decisions.md#J12). */
export function defaultResolution(from: number, to: number): number | 'each' {
  if (to - from <= HOUR_MS) return 'each';
  return to - from <= WEEK ? 1_000_000 : 5_000_000;
}

/** `resolution=<seconds>`, or `raw`. */
export function readResolution(query: Readonly<Record<string, unknown>>, from: number, to: number): number | 'each' {
  const asked = query['resolution'];
  if (asked === 'raw' || readSwitch(query, 'raw')) {
    if (to - from > MAX_RAW_MS) throw new InvalidInput('raw: at most 31 days at a time');
    return 'each';
  }
  if (asked === undefined) return defaultResolution(from, to);
  if (typeof asked !== 'string' || !/^[1-9]\d{0,8}$/.test(asked))
    throw new InvalidInput('resolution: must be a whole number of seconds, or raw');
  const resolutionMs = Number(asked) * 1000;
  if (resolutionMs < 1_000_000 && (to - from) / resolutionMs > MAX_BUCKETS)
    throw new InvalidInput('resolution: too fine for so long a span');
  return resolutionMs;
}

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
