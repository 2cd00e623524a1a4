import { Inject, Injectable } from '@nestjs/common';
import { type ReportRequest, type UptimeTotals, uptimeTotals } from '../../../domain/uptime/report.ts';
import { type Interval, REACH, timeline } from '../../../domain/uptime/timeline.ts';
import { DAY, monthOf, startOfDay, unpackDay } from '../../../observations/closed-days/day-intervals.codec.ts';
import { SAMPLE_STORE, type SampleReader } from '../../../observations/samples/sample-store.ts';
import { VIEWS_AT, type ViewsAt } from '../../views/views.ts';
import { uptimeDaysView } from './uptime-days.view.ts';
import { projectStream } from '../../../domain/stream-names.ts';

interface Recorded {
  /** As of an instant: later measurements do not count. Undefined: all count. */
  readonly recordedUntil?: number | undefined;
}
interface ClosedDayRow {
  readonly day: string;
  readonly start: number;
  readonly packed: string;
}
type KnownSpan = Pick<ReportRequest, 'from' | 'to' | 'now'> & Recorded;

/** The uptime of a site from its closed days and, after the last of them, from samples. */
@Injectable()
export class UptimeReader {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(SAMPLE_STORE) private readonly samples: SampleReader,
  ) {}

  /** The same, of samples that come from elsewhere. */
  over(samples: SampleReader): UptimeReader {
    return new UptimeReader(this.views, samples);
  }

  /** docs/spec/decisions.md#J13. */
  async totals(projectId: string, request: ReportRequest & Recorded): Promise<UptimeTotals> {
    return uptimeTotals(await this.knownIntervals(projectId, request), request);
  }

  /** The parts of a span whose state is known. */
  async knownIntervals(projectId: string, { from, to: end, now, recordedUntil }: KnownSpan): Promise<readonly Interval[]> {
    const to = Math.min(end, now);
    if (!(from < to)) return [];
    const closed = await this.closedDays(projectId, from, to);
    const intervals = closed.flatMap(({ day, packed }) => unpackDay(day, Buffer.from(packed, 'base64')));
    const rest = { from: Math.max(from, (closed.at(-1)?.start ?? -Infinity) + DAY), to };
    if (rest.from >= rest.to) return intervals;
    return [...intervals, ...timeline(await this.samples.outcomes(projectId, rest.from - REACH, rest.to + REACH, recordedUntil), rest)];
  }

  private async closedDays(projectId: string, from: number, to: number): Promise<readonly ClosedDayRow[]> {
    const months = await this.views.now().list(uptimeDaysView, {
      scope: projectStream(projectId),
      where: { month: { atLeast: monthOf(from), atMost: monthOf(to) } },
    });
    return months
      .flatMap(({ row }) => Object.entries(row.days).map(([day, packed]) => ({ day, start: startOfDay(day), packed })))
      .filter(({ start }) => start < to && start + DAY > from)
      .sort((one, other) => one.start - other.start);
  }
}
