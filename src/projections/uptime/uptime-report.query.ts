import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type ReportRequest, type UptimeTotals, uptimeTotals } from '../../domain/uptime/report.ts';
import { type Interval, REACH, timeline } from '../../domain/uptime/timeline.ts';
import { DAY, startOfDay, unpackDay } from '../../observations/closed-days/day-intervals.codec.ts';
import { SAMPLE_STORE, type SampleStore } from '../../observations/samples/sample-store.ts';
import { VIEWS_AT, type ViewsAt } from '../kit/views.ts';
import { monthOf, uptimeDaysView } from './uptime-days.view.ts';

/** decisions.md, J13. */
export class UptimeReport extends Query<UptimeTotals> {
  constructor(
    readonly projectId: string,
    readonly request: ReportRequest,
  ) {
    super();
  }
}

@QueryHandler(UptimeReport)
export class UptimeReportHandler implements IQueryHandler<UptimeReport> {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(SAMPLE_STORE) private readonly samples: SampleStore,
  ) {}

  async execute({ projectId, request }: UptimeReport): Promise<UptimeTotals> {
    return uptimeTotals(await this.known(projectId, request), request);
  }

  /** The closed days of a span and, after the last of them, what the samples say. Also what the picture of it is drawn from. */
  async known(projectId: string, request: Pick<ReportRequest, 'from' | 'to' | 'now'>): Promise<readonly Interval[]> {
    const to = Math.min(request.to, request.now);
    if (!(request.from < to)) return [];
    const closed = await this.closedDays(projectId, request.from, to);
    const intervals = closed.flatMap(([day, packed]) => [...unpackDay(day, Buffer.from(packed, 'base64'))]);
    const last = closed.at(-1)?.[0];
    const rest = { from: Math.max(request.from, last === undefined ? -Infinity : startOfDay(last) + DAY), to };
    if (rest.from >= rest.to) return intervals;
    return [...intervals, ...timeline(await this.samples.outcomes(projectId, rest.from - REACH, rest.to + REACH), rest)];
  }

  private async closedDays(projectId: string, from: number, to: number): Promise<readonly (readonly [string, string])[]> {
    const months = await this.views.now().list(uptimeDaysView, {
      scope: `project-${projectId}`,
      where: { month: { atLeast: monthOf(from), atMost: monthOf(to) } },
    });
    return months
      .flatMap(({ row }) => Object.entries(row.days))
      .filter(([day]) => startOfDay(day) < to && startOfDay(day) + DAY > from)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }
}
