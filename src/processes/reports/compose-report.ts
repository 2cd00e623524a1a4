import { duration, localTime, oneLine } from '../../delivery/composing/words.ts';
import { addDays, type CalendarDay, dayIn } from './local-time.ts';
import type { CheckFigures, CorrectedCheck, Failure, ProjectWeek, Report } from './report.ts';
import { headOf } from './response-picture.ts';

/** A report in words, in the order in which it is read; text and HTML only set it. */
export interface ComposedReport {
  readonly subject: string;
  readonly opening: string;
  readonly projects: readonly ComposedProject[];
  readonly closing: readonly string[];
  /** A signed note: line by line as it is. */
  readonly checkpoint: string | null;
}

export interface ComposedProject {
  readonly title: string;
  readonly url: string;
  readonly lines: readonly string[];
  readonly failures: readonly string[];
  /** Below its picture; null where there is nothing to show. */
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
      uptime === null ? 'Uptime: not measured.' : `Uptime: ${percent(uptime.up)}${parts(uptime)}.${unknown(uptime.unknownMs, from, to)}`,
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
        : `Response times: the upper edge is ${milliseconds(headOf(responseTimes.points))}, a line across is a quarter of it, a line down is midnight.`,
  };
}

function sentence({ what, words, since, until }: Failure, zone: string, to: number): string {
  const lasted = duration(iso(since), iso(until ?? to));
  const ended = until === null ? `failed when the week ended, after ${lasted}` : `failed for ${lasted}`;
  return `${oneLine(what, 120)} ${ended}, since ${localTime(iso(since), zone)}: ${words}`;
}

function correctionLine({ what, reason, said, corrected, isPartial }: CorrectedCheck): string {
  const figures = ({ failures, held }: CheckFigures): string =>
    `${counted(failures, 'failure', 'failures')}${held === null ? '' : `, held ${percent(held)}`}`;
  const of = isPartial ? ', of the time that could be judged again' : '';
  const right = corrected.held === null ? 'nothing was kept that could be judged again' : `it should have been ${figures(corrected)}${of}`;
  return `Corrected: ${oneLine(what, 120)} was reported with ${figures(said)}; ${right}. Why: ${reason}`;
}

function certificateLine({ host, validTo, daysLeft, problem }: NonNullable<ProjectWeek['certificate']>): string {
  if (problem !== null) return `Certificate: that of ${host} does not verify: ${problem}.`;
  const day = validTo.slice(0, 10);
  if (daysLeft <= 0) return `Certificate: that of ${host} ends on ${day}, or has ended.`;
  return `Certificate: that of ${host} ends in ${counted(daysLeft, 'day', 'days')}, on ${day}.`;
}

/** Never 100 % while something is missing, never 0 % while something is there. */
function percent(value: number): string {
  if (value === 0 || value === 100) return `${String(value)} %`;
  return value >= 99.995 ? 'over 99.99 %' : value < 0.005 ? 'under 0.01 %' : `${value.toFixed(2)} %`;
}

function parts({ down, timeout }: NonNullable<ProjectWeek['uptime']>): string {
  const some = [...(down > 0 ? [`${percent(down)} down`] : []), ...(timeout > 0 ? [`${percent(timeout)} without an answer in time`] : [])];
  return some.length === 0 ? '' : ` (${some.join(', ')})`;
}

const unknown = (unknownMs: number, from: number, to: number): string =>
  unknownMs < (to - from) / 1000 ? '' : ` Nothing is known of ${duration(iso(0), iso(unknownMs))}.`;

const milliseconds = (value: number): string => `${String(Math.round(value))} ms`;
const counted = (count: number, one: string, many: string): string => `${count === 0 ? 'no' : String(count)} ${count === 1 ? one : many}`;
const iso = (instant: number): string => new Date(instant).toISOString();

/** `9 to 15 Mar 2026`, with what differs between the ends written at both. */
function daysOf(first: CalendarDay, last: CalendarDay): string {
  const month = ({ month: nth }: CalendarDay): string => MONTHS[nth - 1] ?? '';
  const end = `${String(last.day)} ${month(last)} ${String(last.year)}`;
  if (first.year !== last.year) return `${String(first.day)} ${month(first)} ${String(first.year)} to ${end}`;
  return first.month === last.month ? `${String(first.day)} to ${end}` : `${String(first.day)} ${month(first)} to ${end}`;
}
