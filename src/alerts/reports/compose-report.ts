import { duration, localTime, oneLine } from '../composing/words.ts';
import { addDays, type CalendarDay, dayIn } from './local-time.ts';
import type { CheckFigures, CorrectedCheck, Failure, ProjectWeek, Report } from './report.ts';
import { chartCeiling } from './response-picture.ts';

/** The wording of a report in reading order; text and HTML only differ in markup. */
export interface ComposedReport {
  readonly subject: string;
  readonly opening: string;
  readonly projects: readonly ComposedProject[];
  readonly closing: readonly string[];
  /** A signed note, verbatim. */
  readonly checkpoint: string | null;
}

export interface ComposedProject {
  readonly title: string;
  readonly url: string;
  readonly lines: readonly string[];
  readonly failures: readonly string[];
  /** The caption of the chart; null without a chart. */
  readonly caption: string | null;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function composeReport(report: Report): ComposedReport {
  const { zone, from, to, projects, more, checkpoint } = report;
  const first = dayIn(zone, from);
  const days = daysOf(first, addDays(dayIn(zone, to), -1));
  const failures = projects.reduce((sum, { failures: { total } }) => sum + total, 0);
  const count = `${more === 0 ? '' : `${String(projects.length)} of `}${counted(projects.length + more, 'project', 'projects')}`;
  return {
    subject: `Weekly report, ${days}: ${counted(failures, 'failure', 'failures')} in ${count}`,
    opening: `The week of ${days}, in the time of ${zone}.`,
    projects: projects.map((project) => composeProject(project, report)),
    closing: more === 0 ? [] : [`${counted(more, 'more project is', 'more projects are')} not shown here.`],
    checkpoint,
  };
}

function composeProject(
  { title, url, uptime, responseTimes, failures, corrections, certificate }: ProjectWeek,
  { zone, from, to }: Report,
): ComposedProject {
  const name = oneLine(title, 120);
  const shown = failures.shown.map((failure) => oneLine(sentence(failure, zone, to), 400));
  const left = failures.total - failures.shown.length;
  return {
    title: name === '' ? url : name,
    url,
    lines: [
      uptime === null ? 'Uptime: not measured.' : `Uptime: ${percent(uptime.up)}${downtime(uptime)}.${unknown(uptime.unknownMs, from, to)}`,
      responseTimes === null
        ? 'Response time: no answers.'
        : `Response time: ${milliseconds(responseTimes.mean)} on average of ${responseTimes.answers.toLocaleString('en-US')} answers; slowest around ${localTime(iso(responseTimes.slowest.at), zone)} with ${milliseconds(responseTimes.slowest.milliseconds)}.`,
      ...(certificate === null ? [] : [oneLine(certificateLine(certificate), 400)]),
      failures.total === 0 ? 'Failures: none.' : `Failures: ${String(failures.total)}.`,
      ...corrections.map((correction) => oneLine(correctionLine(correction), 400)),
    ],
    failures: left > 0 ? [...shown, `and ${String(left)} more`] : shown,
    caption:
      responseTimes === null
        ? null
        : `Response times: the upper edge is ${milliseconds(chartCeiling(responseTimes.points))}, horizontal lines mark its quarters, vertical lines mark midnight.`,
  };
}

function sentence({ what, reason, since, until }: Failure, zone: string, to: number): string {
  const lasted = duration(iso(since), iso(until ?? to));
  const ended = until === null ? `was still failing at the end of the week, after ${lasted}` : `failed for ${lasted}`;
  return `${oneLine(what, 120)} ${ended}, since ${localTime(iso(since), zone)}: ${reason}`;
}

function correctionLine({ what, reason, original, corrected, isPartial }: CorrectedCheck): string {
  const figures = ({ failures, passed }: CheckFigures): string =>
    `${counted(failures, 'failure', 'failures')}${passed === null ? '' : `, passing ${percent(passed)} of the time`}`;
  const scope = isPartial ? ', counting only the time that could be evaluated again' : '';
  const right =
    corrected.passed === null
      ? 'nothing was kept that could be evaluated again'
      : `the corrected figures are ${figures(corrected)}${scope}`;
  return `Corrected: ${oneLine(what, 120)} was reported with ${figures(original)}; ${right}. Reason: ${reason}`;
}

function certificateLine({ host, validTo, daysLeft, problem }: NonNullable<ProjectWeek['certificate']>): string {
  if (problem !== null) return `Certificate: the certificate of ${host} does not verify: ${problem}.`;
  const day = validTo.slice(0, 10);
  if (daysLeft <= 0) return `Certificate: the certificate of ${host} expires or expired on ${day}.`;
  return `Certificate: the certificate of ${host} expires in ${counted(daysLeft, 'day', 'days')}, on ${day}.`;
}

/** Rounds without reaching 0 % or 100 % unless the value is exactly that. */
function percent(value: number): string {
  if (value === 0 || value === 100) return `${String(value)} %`;
  return value >= 99.995 ? 'over 99.99 %' : value < 0.005 ? 'under 0.01 %' : `${value.toFixed(2)} %`;
}

function downtime({ down, timeout }: NonNullable<ProjectWeek['uptime']>): string {
  const some = [...(down > 0 ? [`${percent(down)} down`] : []), ...(timeout > 0 ? [`${percent(timeout)} timed out`] : [])];
  return some.length === 0 ? '' : ` (${some.join(', ')})`;
}

const unknown = (unknownMs: number, from: number, to: number): string =>
  unknownMs < (to - from) / 1000 ? '' : ` Not measured: ${duration(iso(0), iso(unknownMs))}.`;

const milliseconds = (value: number): string => `${String(Math.round(value))} ms`;
const counted = (count: number, one: string, many: string): string => `${count === 0 ? 'no' : String(count)} ${count === 1 ? one : many}`;
const iso = (instant: number): string => new Date(instant).toISOString();

/** `9 to 15 Mar 2026`; month and year are repeated where they differ. */
function daysOf(first: CalendarDay, last: CalendarDay): string {
  const month = ({ month: nth }: CalendarDay): string => MONTHS[nth - 1] ?? '';
  const end = `${String(last.day)} ${month(last)} ${String(last.year)}`;
  if (first.year !== last.year) return `${String(first.day)} ${month(first)} ${String(first.year)} to ${end}`;
  return first.month === last.month ? `${String(first.day)} to ${end}` : `${String(first.day)} ${month(first)} to ${end}`;
}
