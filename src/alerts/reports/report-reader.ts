import { certificateStatus } from '../../watches/certificate/certificate-status.ts';
import { percentages } from '../../platform/observations/samples/report.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import { certificateView } from '../../watches/certificate/certificate.view.ts';
import { checkView } from '../../projects/checks/check.view.ts';
import type { Views, ViewsAt } from '../../platform/read-models/views/views.ts';
import type { CheckUptimeReport, CorrectionReader } from '../../checker/corrections/correction.reader.ts';
import { correctionView } from '../../checker/corrections/correction.view.ts';
import { type ProjectRow, projectView } from '../../projects/project.view.ts';
import type { ResponseTimesReader } from '../../watches/response-times/response-times.reader.ts';
import type { UptimeReader } from '../../watches/uptime/uptime.reader.ts';
import { uptimeView } from '../../watches/uptime/uptime.view.ts';
import { verdictView } from '../../checker/verdicts/verdict.view.ts';
import { phases } from '../../platform/observations/samples/sample.ts';
import { failuresIn, type OpenFailure, concernsFailures } from './failures.ts';
import type { CheckFigures, CorrectedCheck, FailureList, ProjectWeek, Report, ResponseWeek } from './report.ts';
import type { ReportSpan } from '../sender/outgoing-message.ts';
import { projectStream } from '../../kernel/stream-names.ts';

export interface ReportReaderParts {
  readonly views: ViewsAt;
  readonly log: Pick<Log, 'read' | 'at'>;
  readonly uptime: Pick<UptimeReader, 'totals'>;
  readonly responseTimes: Pick<ResponseTimesReader, 'between'>;
  readonly corrections: Pick<CorrectionReader, 'checkUptime'>;
  /** The latest signed checkpoint of the seal. */
  readonly checkpoint: () => Promise<string | null>;
  readonly clock: Clock;
}

const SHOWN_PROJECTS = 50;
const SHOWN_FAILURES = 10;
const PAGE = 1_000;
/** About 120 points per week, which fits the width of a mail. */
const POINT_MS = 5_000_000;
const TOTAL = phases.indexOf('total');
/** Less measured time than this is reported as not measured. */
const UNMEASURED_MS = 60_000;

/** Reads everything that one user's weekly report contains. */
export class ReportReader {
  constructor(private readonly parts: ReportReaderParts) {}

  async read(id: string, userId: number, span: ReportSpan, zone: string): Promise<Report> {
    const views = this.parts.views.now();
    const items = await views.list(projectView, { where: { members: { has: userId } } });
    const rows = items.map(({ row }) => row).sort((one, other) => one.settings.title.localeCompare(other.settings.title, 'en'));
    const projects: ProjectWeek[] = [];
    // Sequentially: reports are not urgent, and other queries share the database.
    for (const row of rows.slice(0, SHOWN_PROJECTS)) projects.push(await this.project(views, row, span));
    const checkpoint = await this.parts.checkpoint();
    return { id, zone, from: span.from, to: span.to, projects, more: Math.max(0, rows.length - SHOWN_PROJECTS), checkpoint };
  }

  private async project(views: Views, row: ProjectRow, span: ReportSpan): Promise<ProjectWeek> {
    const { id, settings } = row;
    const [uptime, responseTimes, failures, corrections, certificate] = await Promise.all([
      this.uptime(id, span),
      this.responseTimes(id, span),
      this.failures(views, row, span),
      this.corrections(views, id, span),
      this.certificate(views, row),
    ]);
    return { id, title: settings.title, url: settings.url, uptime, responseTimes, failures, corrections, certificate };
  }

  private async uptime(projectId: string, span: ReportSpan): Promise<ProjectWeek['uptime']> {
    const request = { ...span, now: this.parts.clock.now(), offsetMinutes: 0, excluded: [] };
    const { total } = await this.parts.uptime.totals(projectId, request);
    const known = total.upMs + total.downMs + total.timeoutMs;
    return known < UNMEASURED_MS ? null : { ...percentages(total), unknownMs: total.unknownMs };
  }

  private async responseTimes(projectId: string, { from, to }: ReportSpan): Promise<ResponseWeek | null> {
    const times = await this.parts.responseTimes.between(projectId, { from, to, resolutionMs: POINT_MS });
    const points = times.map(({ at, means }) => ({ at, milliseconds: means[TOTAL] ?? 0 }));
    const slowest = points.reduce((most, point) => (point.milliseconds > most.milliseconds ? point : most), { at: from, milliseconds: 0 });
    const answers = times.reduce((sum, { count }) => sum + count, 0);
    if (answers === 0) return null;
    const mean = times.reduce((sum, { count, means }) => sum + count * (means[TOTAL] ?? 0), 0) / answers;
    return { answers, mean, slowest, points };
  }

  private async failures(views: Views, row: ProjectRow, span: ReportSpan): Promise<FailureList> {
    const [events, openToday] = await Promise.all([this.events(projectStream(row.id), span), openFailures(views, row)]);
    const found = failuresIn(events, openToday, span);
    const shown = found.slice(0, SHOWN_FAILURES);
    const checks = await views.many(
      checkView,
      shown.flatMap(({ checkId }) => (checkId === null ? [] : [checkId])),
    );
    return {
      total: found.length,
      shown: shown.map(({ checkId, url, reason, since, until }) => ({
        what: checkId === null ? `the site ${url}` : `check ${nameOf(checks.get(checkId)?.settings.name, url)}`,
        reason,
        since,
        until,
      })),
    };
  }

  /** The original figures of the week beside the corrected ones. */
  private async corrections(views: Views, projectId: string, span: ReportSpan): Promise<readonly CorrectedCheck[]> {
    const made = await views.list(correctionView, { scope: projectStream(projectId), where: { ends: { atLeast: span.from + 1 } } });
    const concerned = new Set(made.flatMap(({ row }) => (Date.parse(row.from) < span.to ? [row.checkId] : [])));
    const checks = await views.many(checkView, [...concerned]);
    const found: CorrectedCheck[] = [];
    for (const [checkId, { settings }] of [...checks].slice(0, SHOWN_FAILURES)) {
      const request = { ...span, now: this.parts.clock.now(), offsetMinutes: 0, excluded: [] };
      const { original, corrected, corrections } = await this.parts.corrections.checkUptime(projectId, checkId, request);
      if (corrected === null) continue;
      const what = `check ${nameOf(settings.name, settings.url)}`;
      found.push({
        what,
        reason: corrections.at(-1)?.reason ?? '',
        original: figuresOf(original),
        corrected: figuresOf(corrected),
        isPartial: corrected.unjudgedMs > 0,
      });
    }
    return found;
  }

  private async events(scope: string, { from, to }: ReportSpan): Promise<readonly LogEvent[]> {
    const { log } = this.parts;
    const [before, until] = await Promise.all([log.at(new Date(from - 1).toISOString()), log.at(new Date(to - 1).toISOString())]);
    const events: LogEvent[] = [];
    for (let after = before, full = true; full && after < until;) {
      const page = await log.read({ after, until, scope, limit: PAGE });
      events.push(...page.filter(concernsFailures));
      full = page.length === PAGE;
      after = page.at(-1)?.n ?? until;
    }
    return events;
  }

  private async certificate(views: Views, { id, settings }: ProjectRow): Promise<ProjectWeek['certificate']> {
    const known = await views.get(certificateView, id);
    const status = certificateStatus(known, settings, this.parts.clock.now());
    if (known?.certificate == null || status.sslExpiration === null) return null;
    const { host, validTo } = known.certificate;
    if (status.sslStatus === 'ok') return null;
    return { host, validTo, daysLeft: status.sslDaysLeft ?? 0, problem: status.sslStatus === 'noinfo' ? status.sslError : null };
  }
}

/** A check without a name gets one with its first run. */
const nameOf = (name: string | undefined, url: string): string => (name === undefined || name === '' ? url : name);

function figuresOf({ failures, totals: { total } }: CheckUptimeReport['original']): CheckFigures {
  const known = total.upMs + total.downMs + total.timeoutMs;
  return { failures, passed: known === 0 ? null : percentages(total).up };
}

/** What fails today, and since when. */
async function openFailures(views: Views, { id, settings }: ProjectRow): Promise<readonly OpenFailure[]> {
  const scope = projectStream(id);
  const [verdicts, checks, uptime] = await Promise.all([
    views.list(verdictView, { scope }),
    views.list(checkView, { scope }),
    views.get(uptimeView, id),
  ]);
  const enabled = new Set(checks.flatMap(({ row }) => (row.settings.enabled ? [row.id] : [])));
  const ofChecks = verdicts.flatMap(({ row: { checkId, failing, since, evidence } }) => {
    if (failing === null || !enabled.has(checkId)) return [];
    const failure = { checkId, url: evidence.url, reason: failing.failures[0] ?? failing.status, since: Date.parse(since), until: null };
    return [{ subject: `check ${checkId}`, failure }];
  });
  const isDown = settings.uptimePeriod !== 'false' && (uptime?.state === 'down' || uptime?.state === 'timeout');
  if (uptime?.since == null || !isDown) return ofChecks;
  const failure = { checkId: null, url: settings.uptimeUrl, reason: uptime.state, since: Date.parse(uptime.since), until: null };
  return [...ofChecks, { subject: 'uptime', failure }];
}
