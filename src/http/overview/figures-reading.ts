import { Inject, Injectable } from '@nestjs/common';
import { certificateStatus } from '../../domain/certificate/certificate-status.ts';
import { maintenanceWithin } from '../../domain/maintenance/occurrences.ts';
import { percentages, uptimeTotals } from '../../domain/uptime/report.ts';
import { formatInstant, type TimeSpan } from '../../kernel/instants.ts';
import { SAMPLE_STORE, type SampleReader } from '../../observations/samples/sample-store.ts';
import { SharedSampleStore } from '../../observations/samples/shared-sample-store.ts';
import { certificateView } from '../../projections/read-models/certificate/certificate.view.ts';
import { maintenanceView } from '../../projections/read-models/maintenance/maintenance.view.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { redirectView } from '../../projections/read-models/redirect/redirect.view.ts';
import { type ResponseTime, ResponseTimesReader } from '../../projections/read-models/response-times/response-times.reader.ts';
import { UptimeReader } from '../../projections/read-models/uptime/uptime.reader.ts';
import { uptimeView } from '../../projections/read-models/uptime/uptime.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { firstDayAt } from '../../status-page/model.ts';
import { itemStatus, SILENT_AFTER } from '../../status-page/item-status.ts';
import { requestedInstant, requestNow } from '../as-of/as-of.ts';
import type { FiguresAnswer } from './overview.description.ts';
import { problemsOf } from './problems.ts';

const DAY = 86_400_000;
/** A window that repeats monthly comes within it. */
const PLANNED_AHEAD = 31 * DAY;
const STEP = 30 * 60_000;
const STEPS = DAY / STEP;
/** The buckets that are kept of a closed day: whole ones need no sample of it. */
const KEPT_MS = 1_000_000;
const firstWhole = (at: number): number => Math.ceil(at / KEPT_MS) * KEPT_MS;

/** What a line of the overview shows of a project, for as many as a screen has. */
@Injectable()
export class FiguresReading {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(SAMPLE_STORE) private readonly samples: SampleReader,
    @Inject(UptimeReader) private readonly uptimes: UptimeReader,
    @Inject(ResponseTimesReader) private readonly responses: ResponseTimesReader,
  ) {}

  async of(project: ProjectRow): Promise<FiguresAnswer> {
    const at = requestNow();
    const recordedUntil = requestedInstant();
    const from = firstDayAt(at);
    const begin = Math.ceil((at - DAY) / STEP) * STEP;
    const samples = new SharedSampleStore(this.samples);
    const [[uptime, certificate, redirect, maintenance], known, times] = await Promise.all([
      this.views.now().across([uptimeView, certificateView, redirectView, maintenanceView], project.id),
      this.uptimes.over(samples).knownIntervals(project.id, { from, to: at, now: at, recordedUntil }),
      this.responses.over(samples).between(project.id, { from: firstWhole(begin), to: at, resolutionMs: STEP, recordedUntil }),
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
      response: responseOf(times, begin),
      certificateDays: certificateStatus(certificate, project.settings, at).sslDaysLeft ?? null,
    };
  }
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

function responseOf(times: readonly ResponseTime[], begin: number): FiguresAnswer['response'] {
  const steps = Array.from({ length: STEPS }, (): number | null => null);
  for (const { at, means, percentiles } of times) {
    const index = Math.floor((at - begin) / STEP);
    if (index >= 0 && index < STEPS) steps[index] = Math.round(percentiles?.p50 ?? means.at(-1) ?? 0);
  }
  const sorted = steps.filter((value) => value !== null).toSorted((one, other) => one - other);
  return { from: formatInstant(begin, 0), stepSeconds: STEP / 1000, milliseconds: steps, median: sorted[sorted.length >> 1] ?? null };
}
