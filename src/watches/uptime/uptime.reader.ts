import { Inject, Injectable } from '@nestjs/common';
import { type ReportRequest, type UptimeTotals, uptimeTotals } from '../../platform/observations/samples/report.ts';
import { type Interval, REACH, timeline, type UptimeSample } from '../../platform/observations/samples/timeline.ts';
import {
  type DayInterval,
  monthOf,
  packDay,
  startOfMonth,
  unpackDay,
} from '../../platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { SampleStore } from '../../platform/observations/samples/sample-store.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { uptimeDaysView } from './uptime-days.view.ts';
import { projectStream } from '../../kernel/stream-names.ts';

interface Recorded {
  /** As of an instant: later measurements do not count. Undefined: all count. */
  readonly recordedUntil?: number | undefined;
}
/** Samples, or stretches that have the same timeline. */
export interface OutcomeReader {
  outcomes(projectId: string, from: number, to: number, recordedUntil?: number): Promise<readonly UptimeSample[]>;
}
/** A closed UTC day. */
export interface ClosedUptimeDay {
  readonly start: number;
  readonly isUpAllDay: boolean;
  intervals(): readonly DayInterval[];
}
/** What is known of a span. */
export interface KnownTime {
  /** In order; the first may begin before the span. */
  readonly closed: readonly ClosedUptimeDay[];
  /** After the last closed day. */
  readonly open: readonly Interval[];
  /** The end of the last closed day; null where none is closed. */
  readonly closedUntil: number | null;
}
type KnownSpan = Pick<ReportRequest, 'from' | 'to' | 'now'> & Recorded;

/** The uptime of a site from its closed days and, after the last of them, from samples. */
@Injectable()
export class UptimeReader {
  constructor(
    private readonly views: ViewsAt,
    @Inject(SampleStore) private readonly samples: OutcomeReader,
  ) {}

  /** The same, of samples that come from elsewhere. */
  over(samples: OutcomeReader): UptimeReader {
    return new UptimeReader(this.views, samples);
  }

  /** docs/spec/decisions.md#J13. */
  async totals(projectId: string, request: ReportRequest & Recorded): Promise<UptimeTotals> {
    return uptimeTotals(await this.knownIntervals(projectId, request), request);
  }

  /** The parts of a span whose state is known. */
  async knownIntervals(projectId: string, span: KnownSpan): Promise<readonly Interval[]> {
    const { closed, open } = await this.knownTime(projectId, span);
    return joined([...closed.flatMap((day) => day.intervals()), ...open]);
  }

  /** The same, a closed day as it was closed: few readers need to unpack it. */
  async knownTime(projectId: string, { from, to: end, now, recordedUntil }: KnownSpan): Promise<KnownTime> {
    const to = Math.min(end, now);
    if (!(from < to)) return { closed: [], open: [], closedUntil: null };
    const closed = await this.closedDays(projectId, from, to);
    const last = closed.at(-1);
    const closedUntil = last === undefined ? null : last.start + DAY_MS;
    const rest = { from: Math.max(from, closedUntil ?? from), to };
    const open =
      rest.from < rest.to ? timeline(await this.samples.outcomes(projectId, rest.from - REACH, rest.to + REACH, recordedUntil), rest) : [];
    return { closed, open, closedUntil };
  }

  private async closedDays(projectId: string, from: number, to: number): Promise<readonly ClosedUptimeDay[]> {
    const months = await this.views.now().list(uptimeDaysView, {
      scope: projectStream(projectId),
      where: { month: { atLeast: monthOf(from), atMost: monthOf(to) } },
    });
    const closed: ClosedUptimeDay[] = [];
    for (const { row } of months) {
      const first = startOfMonth(row.month);
      for (const [day, packed] of Object.entries(row.days)) {
        const start = first + (Number(day.slice(-2)) - 1) * DAY_MS;
        if (start < to && start + DAY_MS > from) closed.push(closedDay(day, start, packed));
      }
    }
    return closed.sort((one, other) => one.start - other.start);
  }
}

const EPOCH = '1970-01-01';
/** How a day is packed in which a site was up all the time, as most are: it needs no unpacking. */
const UP_ALL_DAY = packDay(EPOCH, [{ from: 0, to: DAY_MS, state: 'up' }]).toString('base64');

function closedDay(day: string, start: number, packed: string): ClosedUptimeDay {
  if (packed === UP_ALL_DAY) return { start, isUpAllDay: true, intervals: () => [{ from: start, to: start + DAY_MS, state: 'up' }] };
  return { start, isUpAllDay: false, intervals: () => unpackDay(day, Buffer.from(packed, 'base64')) };
}

/** Joins what continues over midnight. */
function joined(intervals: readonly Interval[]): readonly Interval[] {
  const all: Interval[] = [];
  for (const interval of intervals) {
    const last = all.at(-1);
    if (last?.to === interval.from && last.state === interval.state) all[all.length - 1] = { ...last, to: interval.to };
    else all.push(interval);
  }
  return all;
}
