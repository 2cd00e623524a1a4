import { Inject, Injectable } from '@nestjs/common';
import { certificateStatus } from '../../domain/certificate/certificate-status.ts';
import { maintenanceWithin } from '../../domain/maintenance/occurrences.ts';
import { percentages, uptimeTotals } from '../../domain/uptime/report.ts';
import type { Interval } from '../../domain/uptime/timeline.ts';
import { formatInstant, type TimeSpan } from '../../kernel/instants.ts';
import { firstWhole, HALF_HOUR, halfHoursFrom } from '../../observations/samples/hour-summary.ts';
import { SAMPLE_STORE, type SampleReader } from '../../observations/samples/sample-store.ts';
import { SharedSampleStore } from '../../observations/samples/shared-sample-store.ts';
import { type RecentHours, SummarizedHours } from '../../observations/samples/summarized-hours.ts';
import { certificateView } from '../../projections/read-models/certificate/certificate.view.ts';
import { maintenanceView } from '../../projections/read-models/maintenance/maintenance.view.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { redirectView } from '../../projections/read-models/redirect/redirect.view.ts';
import { type ResponseTime, ResponseTimesReader } from '../../projections/read-models/response-times/response-times.reader.ts';
import { type OutcomeReader, UptimeReader } from '../../projections/read-models/uptime/uptime.reader.ts';
import { uptimeView } from '../../projections/read-models/uptime/uptime.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { firstDayAt } from '../../status-page/model.ts';
import { itemStatus, SILENT_AFTER } from '../../status-page/item-status.ts';
import { requestedInstant } from '../as-of/as-of.ts';
import type { FiguresAnswer } from './overview.description.ts';
import { problemsOf } from './problems.ts';

const DAY = 86_400_000;
/** A window that repeats monthly comes within it. */
const PLANNED_AHEAD = 31 * DAY;
const STEP = HALF_HOUR;
const STEPS = DAY / STEP;
/** Projects whose samples are read side by side. */
const SIDE_BY_SIDE = 10;

/** What a line of the overview shows of a project, for as many as a screen has. */
@Injectable()
export class FiguresReading {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(SAMPLE_STORE) private readonly samples: SampleReader,
    @Inject(SummarizedHours) private readonly hours: Pick<SummarizedHours, 'until'>,
    @Inject(UptimeReader) private readonly uptimes: UptimeReader,
    @Inject(ResponseTimesReader) private readonly responses: ResponseTimesReader,
  ) {}

  /** In their order, as of the time of the request. */
  async of(projects: readonly ProjectRow[], at: number): Promise<readonly FiguresAnswer[]> {
    const together = requestedInstant() === undefined ? projects.length : SIDE_BY_SIDE;
    const figures: FiguresAnswer[] = [];
    for (let from = 0; from < projects.length; from += together)
      figures.push(...(await Promise.all(projects.slice(from, from + together).map((project) => this.ofProject(project, at)))));
    return figures;
  }

  private async ofProject(project: ProjectRow, at: number): Promise<FiguresAnswer> {
    const from = firstDayAt(at);
    const [[uptime, certificate, redirect, maintenance], { known, response }] = await Promise.all([
      this.views.now().across([uptimeView, certificateView, redirectView, maintenanceView], project.id),
      this.measured(project, at),
    ]);
    const excluded = maintenanceWithin(maintenance?.windows ?? [], { from, to: at });
    const planned = maintenanceWithin(maintenance?.windows ?? [], { from: at, to: at + PLANNED_AHEAD });
    const until = planned.find((span) => span.from === at)?.to ?? null;
    const next = planned.find((span) => span.from > at)?.from ?? null;
    const isFailing = uptime?.state === 'down' || uptime?.state === 'timeout';
    const status = itemStatus(
      {
        ...{ key: project.id, name: project.settings.title, known, maintenance: excluded, maintenanceUntil: until, recorded: null },
        current: uptime === null || uptime.state === 'unknown' ? null : isFailing ? 'failing' : 'working',
        since: uptime?.since == null ? null : Date.parse(uptime.since),
      },
      at,
    );
    const problems = problemsOf(project, { uptime, certificate, redirect, checks: [] }, at);
    const hasFailingCheck = project.status === 'error' || project.status === 'timeout';
    const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);
    return {
      id: project.id,
      state: stateOf({
        isPlanned: until !== null,
        isFailing: hasFailingCheck || problems.some(({ severity }) => severity === 'failing'),
        isWarning: problems.length > 0,
        isKnown: status.state !== 'unknown' || (project.settings.uptimePeriod === 'false' && project.status !== null),
      }),
      measuredAt: instantOrNull(known.at(-1)?.to ?? null, at),
      maintenanceUntil: instantOrNull(until, Infinity),
      nextMaintenance: instantOrNull(next, Infinity),
      days: {
        from: new Date(from).toISOString().slice(0, 10),
        down: status.days.map(({ downMs }) => seconds(downMs)),
        unknown: status.days.map(({ unknownMs }) => seconds(unknownMs)),
        maintenance: status.days.map(({ maintenanceMs }) => seconds(maintenanceMs)),
      },
      month: monthOf(known, { from: Math.max(from, at - 30 * DAY), to: at }, excluded),
      response,
      certificateDays: certificateStatus(certificate, project.settings, at).sslDaysLeft ?? null,
    };
  }

  /** Of the present from the summaries of compacted hours, where they suffice; of the past from the samples, some of which were recorded later. */
  private async measured(project: ProjectRow, at: number): Promise<Measured> {
    const recent = requestedInstant() === undefined ? await this.hours.until(project.id, at) : null;
    return recent === null ? this.fromSamples(project.id, at) : this.fromSummaries(project, at, recent);
  }

  private async fromSummaries({ id, createdAt }: ProjectRow, at: number, recent: RecentHours): Promise<Measured> {
    const { from, stretches, medians, stepsFrom, isBookKept } = recent;
    const isSince = (instant: number): boolean => instant >= from || Date.parse(createdAt) >= from;
    const outcomes: OutcomeReader['outcomes'] = async (projectId, begin, to) =>
      isSince(begin) ? stretches : this.samples.outcomes(projectId, begin, to);
    const { known, closedUntil } = await this.uptimes.over({ outcomes }).knownTime(id, { from: firstDayAt(at), to: at, now: at });
    // Of a day that is closed, whose samples are no longer kept, the log has the response times.
    const isKept = isBookKept || closedUntil === null || closedUntil <= firstWhole(stepsFrom);
    return isKept ? { known, response: responseOf(medians, stepsFrom) } : this.fromSamples(id, at);
  }

  private async fromSamples(projectId: string, at: number): Promise<Measured> {
    const recordedUntil = requestedInstant();
    const samples = new SharedSampleStore(this.samples);
    const begin = halfHoursFrom(at);
    const [known, times] = await Promise.all([
      this.uptimes.over(samples).knownIntervals(projectId, { from: firstDayAt(at), to: at, now: at, recordedUntil }),
      this.responses.over(samples).between(projectId, { from: firstWhole(begin), to: at, resolutionMs: STEP, recordedUntil }),
    ]);
    return { known, response: responseOf(stepsOf(times, begin), begin) };
  }
}

/** The time that is known of the days that are shown, and the response times of the last 24 hours. */
interface Measured {
  readonly known: readonly Interval[];
  readonly response: FiguresAnswer['response'];
}

interface Judged {
  readonly isPlanned: boolean;
  readonly isFailing: boolean;
  readonly isWarning: boolean;
  readonly isKnown: boolean;
}

function stateOf({ isPlanned, isFailing, isWarning, isKnown }: Judged): FiguresAnswer['state'] {
  if (isPlanned) return 'maintenance';
  if (isFailing) return 'failing';
  if (!isKnown) return 'unknown';
  return isWarning ? 'warning' : 'working';
}

/** Null while measurements still arrive. */
const instantOrNull = (at: number | null, now: number): string | null =>
  at === null || (now !== Infinity && at > now - SILENT_AFTER) ? null : formatInstant(at, 0);

function monthOf(known: Parameters<typeof uptimeTotals>[0], { from, to }: TimeSpan, excluded: readonly TimeSpan[]): FiguresAnswer['month'] {
  const { total } = uptimeTotals(known, { from, to, now: to, offsetMinutes: 0, excluded });
  const measured = total.upMs + total.downMs + total.timeoutMs;
  return { up: measured === 0 ? null : percentages(total).up, measuredSeconds: Math.round(measured / 1000) };
}

function stepsOf(times: readonly ResponseTime[], begin: number): readonly (number | null)[] {
  const steps = Array.from({ length: STEPS }, (): number | null => null);
  for (const { at, means, percentiles } of times) {
    const index = Math.floor((at - begin) / STEP);
    if (index >= 0 && index < STEPS) steps[index] = Math.round(percentiles?.p50 ?? means.at(-1) ?? 0);
  }
  return steps;
}

function responseOf(steps: readonly (number | null)[], begin: number): FiguresAnswer['response'] {
  const sorted = steps.filter((value) => value !== null).toSorted((one, other) => one - other);
  return { from: formatInstant(begin, 0), stepSeconds: STEP / 1000, milliseconds: steps, median: sorted[sorted.length >> 1] ?? null };
}
