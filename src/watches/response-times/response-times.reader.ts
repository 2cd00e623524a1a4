import { Inject, Injectable } from '@nestjs/common';
import { ClosedBooks } from '../../platform/observations/closed-days/closed-books.ts';
import { monthOf, startOfDay, utcDay } from '../../platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { unpackBuckets, unpackSketch } from '../../platform/observations/response-times/bucket.codec.ts';
import {
  type Bucket,
  bucketsOf,
  FINEST_MS,
  firstBucketOf,
  hasResponseTime,
  widen,
} from '../../platform/observations/response-times/bucket.ts';
import { phases, type Sample } from '../../platform/observations/samples/sample.ts';
import { type SampleReader, SampleStore } from '../../platform/observations/samples/sample-store.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { type ResponseDaysRow, responseDaysView } from './response-days.view.ts';
import { projectStream } from '../../kernel/stream-names.ts';

export interface ResponseTimesRequest {
  readonly from: number;
  readonly to: number;
  /** `each`: every response by itself. */
  readonly resolutionMs: number | 'each';
  /** As of an instant: later measurements do not count. Undefined: all count. */
  readonly recordedUntil?: number | undefined;
}

/** Milliseconds. */
export interface ResponseTime {
  readonly at: number;
  /** The number of responses in the mean. */
  readonly count: number;
  /** In the order of `phases`. */
  readonly means: readonly number[];
  /** Null for a single response, and where only sums were kept. */
  readonly percentiles: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
}

/** docs/spec/decisions.md#J12. */
@Injectable()
export class ResponseTimesReader {
  constructor(
    private readonly views: ViewsAt,
    @Inject(SampleStore) private readonly samples: SampleReader,
    private readonly books: ClosedBooks,
  ) {}

  /** The same, of samples that come from elsewhere. */
  over(samples: SampleReader): ResponseTimesReader {
    return new ResponseTimesReader(this.views, samples, this.books);
  }

  async between(projectId: string, request: ResponseTimesRequest): Promise<readonly ResponseTime[]> {
    const { to, resolutionMs } = request;
    // Postgres has no dates for the first years of JavaScript's range, and nothing was measured before the epoch.
    const from = Math.max(request.from, 0);
    if (!(from < to)) return [];
    const { recordedUntil } = request;
    if (resolutionMs === 'each') return this.singleResponses(projectId, { from, to, recordedUntil });
    const kept = await this.books.buckets(projectId, utcDay(from - FINEST_MS), utcDay(to));
    const expired = kept.has(utcDay(from))
      ? nothingExpired
      : await this.expired(projectId, { from, to, resolutionMs }, earliest(kept.keys()));
    const begin = Math.max(from, expired.until);
    const recent =
      resolutionMs % FINEST_MS === 0
        ? await this.fromBuckets(projectId, { from: begin, to, recordedUntil }, completeBy(recordedUntil, kept))
        : bucketsOf(await this.samples.between(projectId, begin, to, recordedUntil), resolutionMs);
    // Expired days are kept in buckets of FINEST_MS only, whatever resolution is asked for.
    const buckets = resolutionMs < FINEST_MS ? [...expired.buckets, ...recent] : widen([...expired.buckets, ...recent], resolutionMs);
    return buckets.map(mean);
  }

  /** Retention deletes whole days of samples: if the first day of the span has any, none of the span is missing. */
  private async singleResponses(projectId: string, { from, to, recordedUntil }: RecordedSpan): Promise<readonly ResponseTime[]> {
    const samples = await this.samples.between(projectId, from, to, recordedUntil);
    const firstDay = samples[0] === undefined ? undefined : utcDay(samples[0].at);
    const expired =
      firstDay === utcDay(from) ? nothingExpired : await this.expired(projectId, { from, to, resolutionMs: FINEST_MS }, firstDay);
    return [...expired.buckets.map(mean), ...samples.filter((sample) => sample.at >= expired.until && hasResponseTime(sample)).map(single)];
  }

  /** Whole buckets of the closed days, and samples at either edge and after the last closed day. */
  private async fromBuckets(
    projectId: string,
    { from, to, recordedUntil }: RecordedSpan,
    kept: ReadonlyMap<string, readonly Bucket[]>,
  ): Promise<readonly Bucket[]> {
    const [first, last] = [Math.ceil(from / FINEST_MS) * FINEST_MS, Math.floor(to / FINEST_MS) * FINEST_MS];
    const closedUntil = [...kept.keys()].reduce((end, day) => Math.max(end, firstBucketOf(startOfDay(day) + DAY_MS)), -Infinity);
    const usesBuckets = first < Math.min(last, closedUntil);
    const whole = usesBuckets ? [...kept.values()].flat().filter(({ start }) => start >= first && start < last) : [];
    const edges = usesBuckets
      ? [
          [from, first],
          [Math.min(last, closedUntil), to],
        ]
      : [[from, to]];
    const cut = await Promise.all(edges.map(([begin = 0, end = 0]) => this.samples.between(projectId, begin, end, recordedUntil)));
    return [...whole, ...bucketsOf(cut.flat(), FINEST_MS)];
  }

  /** Closed days whose samples were deleted: sums and one sketch a day. `before`: the first day whose buckets are kept. */
  private async expired(projectId: string, { from, to, resolutionMs }: BucketsRequest, before: string | undefined): Promise<ExpiredDays> {
    const months = await this.views.now().list(responseDaysView, {
      scope: projectStream(projectId),
      where: { month: { atLeast: monthOf(from - FINEST_MS), atMost: monthOf(to) } },
    });
    const width = resolutionMs % DAY_MS === 0 ? DAY_MS : FINEST_MS;
    const days = months
      .flatMap(({ row }) => Object.entries(row.days))
      .filter(([day]) => (before === undefined || day < before) && startOfDay(day) < to && startOfDay(day) + DAY_MS + FINEST_MS > from);
    return {
      buckets: days
        .flatMap(([day, packed]) => bucketsOfDay(day, packed, resolutionMs))
        .filter(({ start }) => start + width > from && start < to),
      until: days.reduce((end, [day]) => Math.max(end, firstBucketOf(startOfDay(day) + DAY_MS)), -Infinity),
    };
  }
}

type RecordedSpan = Omit<ResponseTimesRequest, 'resolutionMs'>;

/** After the end of a day: until then its last measurements are recorded. */
const COMPLETE_MS = FINEST_MS + 300_000;

/** The days that were complete at an instant: the sums of others hold measurements that were recorded later. */
const completeBy = (instant = Infinity, kept: ReadonlyMap<string, readonly Bucket[]>): ReadonlyMap<string, readonly Bucket[]> =>
  new Map([...kept].filter(([day]) => startOfDay(day) + DAY_MS + COMPLETE_MS <= instant));

interface BucketsRequest extends ResponseTimesRequest {
  readonly resolutionMs: number;
}

interface ExpiredDays {
  readonly buckets: readonly Bucket[];
  /** The end of the last of them. */
  readonly until: number;
}

const nothingExpired: ExpiredDays = { buckets: [], until: -Infinity };

const earliest = (days: Iterable<string>): string | undefined => [...days].sort()[0];

/** Percentiles come from the sketch of a whole day; for parts of a day only sums are kept. */
function bucketsOfDay(day: string, { buckets, sketch }: ResponseDaysRow['days'][string], resolutionMs: number): readonly Bucket[] {
  const parts = unpackBuckets(Buffer.from(buckets, 'base64'));
  if (resolutionMs % DAY_MS !== 0) return parts;
  const whole = widen(
    parts.map((part) => ({ ...part, start: startOfDay(day) })),
    DAY_MS,
  );
  return whole.map((bucket) => ({ ...bucket, sketch: unpackSketch(Buffer.from(sketch, 'base64')) }));
}

const single = (sample: Sample): ResponseTime => ({
  at: sample.at,
  count: 1,
  means: phases.map((phase) => sample[phase]),
  percentiles: null,
});

function mean({ start, count, sums, sketch }: Bucket): ResponseTime {
  const [p50 = 0, p95 = 0, p99 = 0] = sketch?.quantiles([0.5, 0.95, 0.99])?.map((tenths) => tenths / 10) ?? [];
  return { at: start, count, means: sums.map((sum) => sum / count / 10), percentiles: sketch === null ? null : { p50, p95, p99 } };
}
