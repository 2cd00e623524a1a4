import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Interval, REACH, timeline } from '../../../domain/uptime/timeline.ts';
import { DAY, monthOf, startOfDay, unpackDay } from '../../../observations/closed-days/day-intervals.codec.ts';
import { SAMPLE_STORE, type SampleReader } from '../../../observations/samples/sample-store.ts';
import { VIEWS_AT, type ViewsAt } from '../../views/views.ts';
import { uptimeDaysView } from './uptime-days.view.ts';

export interface KnownSpan {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/** The time of a span of which the state is known: its closed days and, after the last of them, what the samples say. */
export class KnownUptime extends Query<readonly Interval[]> {
  constructor(
    readonly projectId: string,
    readonly span: KnownSpan,
  ) {
    super();
  }
}

@QueryHandler(KnownUptime)
export class KnownUptimeHandler implements IQueryHandler<KnownUptime> {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(SAMPLE_STORE) private readonly samples: SampleReader,
  ) {}

  async execute({ projectId, span }: KnownUptime): Promise<readonly Interval[]> {
    const to = Math.min(span.to, span.now);
    if (!(span.from < to)) return [];
    const closed = await this.closedDays(projectId, span.from, to);
    const intervals = closed.flatMap(([day, packed]) => [...unpackDay(day, Buffer.from(packed, 'base64'))]);
    const last = closed.at(-1)?.[0];
    const rest = { from: Math.max(span.from, last === undefined ? -Infinity : startOfDay(last) + DAY), to };
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
