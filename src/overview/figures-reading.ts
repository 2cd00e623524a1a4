import { Inject, Injectable } from '@nestjs/common';
import { certificateStatus } from '../watches/certificate/certificate-status.ts';
import { maintenanceWithin } from '../projects/maintenance/occurrences.ts';
import { formatInstant, type TimeSpan } from '../kernel/instants.ts';
import { firstWhole, HALF_HOUR, halfHoursFrom } from '../platform/observations/samples/hour-summary.ts';
import { type SampleReader, SampleStore } from '../platform/observations/samples/sample-store.ts';
import { SharedSampleStore } from '../platform/observations/samples/shared-sample-store.ts';
import { SummarizedHours } from '../platform/observations/samples/summarized-hours.ts';
import { certificateView } from '../watches/certificate/certificate.view.ts';
import { maintenanceView } from '../projects/maintenance/maintenance.view.ts';
import type { ProjectRow } from '../projects/project.view.ts';
import { redirectView } from '../watches/redirect/redirect.view.ts';
import { type ResponseTime, ResponseTimesReader } from '../watches/response-times/response-times.reader.ts';
import { type KnownTime, type OutcomeReader, UptimeReader } from '../watches/uptime/uptime.reader.ts';
import { uptimeView } from '../watches/uptime/uptime.view.ts';
import { unlessParked, ViewsAt } from '../platform/read-models/views/views.ts';
import { requestedInstant } from '../platform/http/as-of/as-of.ts';
import type { FiguresAnswer } from './overview.api.ts';
import { problemsOf } from './problems.ts';
import { percentages, type Totals, uptimeTotals } from '../platform/observations/samples/report.ts';
import type { Interval } from '../platform/observations/samples/timeline.ts';
import { DAY_MS } from '../kernel/time.ts';
import { SHOWN_DAY, SHOWN_DAYS, SILENT_AFTER, firstDayAt, itemStateOf, utcMidnight } from '../watches/uptime/shown-state.ts';

const MONTH = 30 * SHOWN_DAY;

/** What a line shows of the uptime of a site. */
interface ShownUptime {
  /** One for each UTC day that is shown, the oldest first. */
  readonly days: readonly Totals[];
  readonly month: { readonly up: number | null; readonly measuredMs: number };
  /** The end of the last time that is known. */
  readonly lastKnown: number | null;
}

/** The figures of the uptime report, day by day: most days were up from midnight to midnight, and are not unpacked. */
export function dayFigures(known: KnownTime, excluded: readonly TimeSpan[], at: number): ShownUptime {
  const totalsOf = totalsWithin(known, excluded);
  const [from, monthFrom] = [firstDayAt(at), at - MONTH];
  const month = { upMs: 0, downMs: 0, timeoutMs: 0, unknownMs: 0, maintenanceMs: 0 };
  const days = Array.from({ length: SHOWN_DAYS }, (_, index): Totals => {
    const day = { from: from + index * SHOWN_DAY, to: Math.min(from + (index + 1) * SHOWN_DAY, at) };
    const totals = totalsOf(day);
    if (day.to > monthFrom) {
      const counted = day.from >= monthFrom ? totals : totalsOf({ from: monthFrom, to: day.to });
      month.upMs += counted.upMs;
      month.downMs += counted.downMs;
      month.timeoutMs += counted.timeoutMs;
    }
    return totals;
  });
  const measuredMs = month.upMs + month.downMs + month.timeoutMs;
  return { days, month: { up: measuredMs === 0 ? null : percentages(month).up, measuredMs }, lastKnown: lastKnownOf(known) };
}

/** A function that totals spans within a UTC day. */
function totalsWithin({ closed, open, closedUntil }: KnownTime, excluded: readonly TimeSpan[]): (span: TimeSpan) => Totals {
  const closedDays = new Map(closed.map((day) => [day.start, day]));
  return (span) => {
    const isWorkFree = excluded.length === 0 || !excluded.some(({ from, to }) => from < span.to && to > span.from);
    const day = closedDays.get(utcMidnight(span.from));
    const length = span.to - span.from;
    if (isWorkFree && day?.isUpAllDay === true) return { upMs: length, downMs: 0, timeoutMs: 0, unknownMs: 0, maintenanceMs: 0 };
    const isOpen = closedUntil === null || span.from >= closedUntil;
    const intervals = day?.intervals() ?? (isOpen ? open : []);
    return isWorkFree ? sumsOf(intervals, span) : uptimeTotals(intervals, { ...span, now: span.to, offsetMinutes: 0, excluded }).total;
  };
}

/** Without planned work. */
function sumsOf(intervals: readonly Interval[], span: TimeSpan): Totals {
  const sums = { up: 0, down: 0, timeout: 0 };
  for (const { from, to, state } of intervals) sums[state] += Math.max(0, Math.min(to, span.to) - Math.max(from, span.from));
  const { up, down, timeout } = sums;
  return { upMs: up, downMs: down, timeoutMs: timeout, unknownMs: span.to - span.from - up - down - timeout, maintenanceMs: 0 };
}

function lastKnownOf({ closed, open }: KnownTime): number | null {
  let last = open.at(-1);
  for (let index = closed.length; last === undefined && index > 0;) last = closed[--index]?.intervals().at(-1);
  return last?.to ?? null;
}

/** A window that repeats monthly comes within it. */
const PLANNED_AHEAD = 31 * DAY_MS;
const STEP = HALF_HOUR;
const STEPS = DAY_MS / STEP;
/** Projects whose samples are read side by side. */
const SIDE_BY_SIDE = 10;

/** What a line of the overview shows of a project, for as many as a screen has. */
@Injectable()
export class FiguresReading {
  constructor(
    private readonly views: ViewsAt,
    @Inject(SampleStore) private readonly samples: SampleReader,
    @Inject(SummarizedHours) private readonly hours: Pick<SummarizedHours, 'until'>,
    private readonly uptimes: UptimeReader,
    private readonly responses: ResponseTimesReader,
  ) {}

  /** Answers in the order of the projects, as of the time of the request, without those that cannot be read because one of their events is parked. */
  async of(projects: readonly ProjectRow[], at: number): Promise<readonly FiguresAnswer[]> {
    const together = requestedInstant() === undefined ? projects.length : SIDE_BY_SIDE;
    const figures: (FiguresAnswer | 'parked')[] = [];
    for (let from = 0; from < projects.length; from += together)
      figures.push(
        ...(await Promise.all(projects.slice(from, from + together).map((project) => unlessParked(this.ofProject(project, at))))),
      );
    return figures.filter((found) => found !== 'parked');
  }

  private async ofProject(project: ProjectRow, at: number): Promise<FiguresAnswer> {
    const from = firstDayAt(at);
    const [[uptime, certificate, redirect, maintenance], { time, response }] = await Promise.all([
      this.views.now().across([uptimeView, certificateView, redirectView, maintenanceView], project.id),
      this.measured(project, at),
    ]);
    const excluded = maintenanceWithin(maintenance?.windows ?? [], { from, to: at });
    const planned = maintenanceWithin(maintenance?.windows ?? [], { from: at, to: at + PLANNED_AHEAD });
    const until = planned.find((span) => span.from === at)?.to ?? null;
    const next = planned.find((span) => span.from > at)?.from ?? null;
    const isFailing = uptime?.state === 'down' || uptime?.state === 'timeout';
    const { days, month, lastKnown } = dayFigures(time, excluded, at);
    const current = uptime === null || uptime.state === 'unknown' ? null : isFailing ? 'failing' : 'working';
    const isKnown = itemStateOf({ current, isPlanned: until !== null, lastKnown, at }) !== 'unknown';
    const problems = problemsOf(project, { uptime, certificate, redirect, checks: [] }, at);
    const hasFailingCheck = project.status === 'error' || project.status === 'timeout';
    const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);
    return {
      id: project.id,
      state: stateOf({
        isPlanned: until !== null,
        isFailing: hasFailingCheck || problems.some(({ severity }) => severity === 'failing'),
        isWarning: problems.length > 0,
        isKnown: isKnown || (project.settings.uptimePeriod === 'false' && project.status !== null),
      }),
      measuredAt: instantOrNull(lastKnown, at),
      maintenanceUntil: instantOrNull(until, Infinity),
      nextMaintenance: instantOrNull(next, Infinity),
      days: {
        from: new Date(from).toISOString().slice(0, 10),
        down: days.map(({ downMs, timeoutMs }) => seconds(downMs + timeoutMs)),
        unknown: days.map(({ unknownMs }) => seconds(unknownMs)),
        maintenance: days.map(({ maintenanceMs }) => seconds(maintenanceMs)),
      },
      month: { up: month.up, measuredSeconds: seconds(month.measuredMs) },
      response,
      certificateDays: certificateStatus(certificate, project.settings, at).sslDaysLeft ?? null,
    };
  }

  /** Reads the present from the summaries of compacted hours when they suffice, and the past from the samples, some of which were recorded later. */
  private async measured(project: ProjectRow, at: number): Promise<Measured> {
    const found = requestedInstant() === undefined ? await this.fromSummaries(project, at) : null;
    return found ?? this.fromSamples(project.id, at);
  }

  /** Reads the closed days and the hours side by side. */
  private async fromSummaries({ id, createdAt }: ProjectRow, at: number): Promise<Measured | null> {
    const reading = this.hours.until(id, at);
    const outcomes: OutcomeReader['outcomes'] = async (projectId, begin, to) => {
      const recent = await reading;
      if (recent === null) return [];
      return begin >= recent.from || Date.parse(createdAt) >= recent.from ? recent.stretches : this.samples.outcomes(projectId, begin, to);
    };
    const [recent, time] = await Promise.all([
      reading,
      this.uptimes.over({ outcomes }).knownTime(id, { from: firstDayAt(at), to: at, now: at }),
    ]);
    if (recent === null) return null;
    const { medians, stepsFrom, isBookKept } = recent;
    // The log has the response times of a closed day whose samples are no longer kept.
    const isKept = isBookKept || time.closedUntil === null || time.closedUntil <= firstWhole(stepsFrom);
    return isKept ? { time, response: responseOf(medians, stepsFrom) } : null;
  }

  private async fromSamples(projectId: string, at: number): Promise<Measured> {
    const recordedUntil = requestedInstant();
    const samples = new SharedSampleStore(this.samples);
    const begin = halfHoursFrom(at);
    const [time, times] = await Promise.all([
      this.uptimes.over(samples).knownTime(projectId, { from: firstDayAt(at), to: at, now: at, recordedUntil }),
      this.responses.over(samples).between(projectId, { from: firstWhole(begin), to: at, resolutionMs: STEP, recordedUntil }),
    ]);
    return { time, response: responseOf(stepsOf(times, begin), begin) };
  }
}

/** The time that is known of the days that are shown, and the response times of the last 24 hours. */
interface Measured {
  readonly time: KnownTime;
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
