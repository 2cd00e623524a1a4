import { createHash } from 'node:crypto';
import type { DaysEvents } from './days.events.ts';
import { REACH, timeline } from '../../platform/observations/samples/timeline.ts';
import { packDay, startOfDay } from '../../platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { packBuckets, packSketch, packSketchedBuckets } from '../../platform/observations/response-times/bucket.codec.ts';
import { bucketsOf, FINEST_MS, firstBucketOf } from '../../platform/observations/response-times/bucket.ts';
import { Sketch } from '../../platform/observations/response-times/sketch.ts';
import type { Sample } from '../../platform/observations/samples/sample.ts';
import { tenths } from '../../platform/observations/samples/sample.codec.ts';

export interface Books {
  readonly uptime: DaysEvents['UptimeDayClosed'];
  readonly responseTimes: DaysEvents['ResponseTimesDayClosed'];
  /** Buckets with a sketch each, kept outside the log for as long as samples are. */
  readonly sketched: Buffer;
  /** No sample concerns this day. */
  readonly empty: boolean;
}

/** The span of samples that a day's books need: those extending into it and those of its last bucket. */
export const neededFor = (day: string): { readonly from: number; readonly to: number } => ({
  from: startOfDay(day) - REACH,
  to: startOfDay(day) + DAY_MS + Math.max(REACH, FINEST_MS),
});

export function booksOf(projectId: string, day: string, samples: readonly Sample[]): Books {
  const [start, end] = [startOfDay(day), startOfDay(day) + DAY_MS];
  const ofDay = samples.filter(({ at }) => at >= start && at < end);
  const sha256 = samplesHash(ofDay);
  const intervals = timeline(
    samples.filter(({ at }) => at < end + REACH),
    { from: start, to: end },
  );
  const [firstBucket, endOfBuckets] = [firstBucketOf(start), firstBucketOf(end)];
  const buckets = bucketsOf(
    samples.filter(({ at }) => at >= firstBucket && at < endOfBuckets),
    FINEST_MS,
  );
  const sketch = new Sketch();
  for (const bucket of buckets) if (bucket.sketch !== null) sketch.merge(bucket.sketch);
  const head = { projectId, day, samples: ofDay.length, sha256 };
  const [upMs, downMs, timeoutMs] = (['up', 'down', 'timeout'] as const).map((state) =>
    intervals.reduce((sum, interval) => (interval.state === state ? sum + interval.to - interval.from : sum), 0),
  ) as [number, number, number];
  return {
    uptime: {
      ...head,
      upMs,
      downMs,
      timeoutMs,
      unknownMs: DAY_MS - upMs - downMs - timeoutMs,
      intervals: packDay(day, intervals).toString('base64'),
    },
    responseTimes: { ...head, buckets: packBuckets(buckets).toString('base64'), sketch: packSketch(sketch).toString('base64') },
    sketched: packSketchedBuckets(buckets),
    empty: ofDay.length === 0 && intervals.length === 0 && buckets.length === 0,
  };
}

/** SHA-256 over one JSON line per sample in time order, reproducible by an auditor. Phase times are in tenths of milliseconds. */
export function samplesHash(samples: readonly Sample[]): string {
  let lines = '';
  for (const sample of samples) lines += lineOf(sample);
  return createHash('sha256').update(lines).digest('hex');
}

const of = (milliseconds: number): string => String(tenths(milliseconds));

/** What `JSON.stringify` makes of an array of these values, in half its time. */
function lineOf({ at, outcome, periodSeconds, httpStatus, reason, dns, connect, tls, request, waiting, download, total }: Sample): string {
  const kind = `"${outcome}",${String(periodSeconds)},${String(httpStatus)},${JSON.stringify(reason)}`;
  const phases = `${of(dns)},${of(connect)},${of(tls)},${of(request)},${of(waiting)},${of(download)}`;
  return `[${String(at)},${kind},${phases},${of(total)}]\n`;
}
