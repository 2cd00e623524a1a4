import type { ResponseTime } from '../../watches/response-times/response-times.reader.ts';
import { boxes, framed, HATCH, PLOT, xOf, yOf } from './frame.ts';
import { palettes, type Theme } from './palette.ts';
import { element, short } from '../../kernel/markup.ts';
import { timeTicks, valueTicks } from './ticks.ts';

export interface ResponseTimesChart {
  readonly title: string;
  readonly theme: Theme;
  readonly from: number;
  readonly to: number;
  readonly offsetMinutes: number;
  readonly resolutionMs: number;
  readonly times: readonly ResponseTime[];
}

const MAX_BUCKETS = 190;
const names = ['DNS', 'Connect', 'TLS', 'Request', 'Waiting', 'Download'];

/** The finest resolution that is stored and that the chart can show. */
export const chartResolution = (span: number): number => Math.max(1, Math.ceil(span / MAX_BUCKETS / 1_000_000)) * 1_000_000;

/** Stacked phases of an answer with the 95th percentile of the total; time without an answer is hatched. */
export function responseTimesChart({ title, theme, from, to, offsetMinutes, resolutionMs, times }: ResponseTimesChart): string {
  const palette = palettes[theme];
  const span = { from, to: Math.max(to, from + 60_000) };
  const values = valueTicks(Math.max(...times.map(({ means, percentiles }) => Math.max(means[6] ?? 0, percentiles?.p95 ?? 0)), 0), 5);
  const head = values.at(-1) ?? 1;
  const box = ({ at }: ResponseTime) => {
    const [x, right] = [xOf(span, Math.max(at, span.from)), xOf(span, Math.min(at + resolutionMs, span.to))];
    return { x, width: right - x };
  };
  const stacks = names.map((_, phase) =>
    times.map((time) => {
      const foot = sum(time.means.slice(0, phase));
      const top = yOf(foot + (time.means[phase] ?? 0), head);
      return { ...box(time), y: top, height: yOf(foot, head) - top };
    }),
  );
  return framed(
    {
      palette,
      title,
      span,
      offsetMinutes,
      caption: captionOf(times),
      times: timeTicks(span.from, span.to, offsetMinutes, 10),
      values: values.map((value) => ({ value, label: label(value) })),
      axis: 'Milliseconds',
      legend: [
        ...names.map((name, phase) => ({ label: name, fill: palette.phases[phase] ?? palette.text })),
        { label: 'p95', fill: palette.p95 },
        { label: 'No answer', fill: HATCH },
      ],
    },
    element('path', {
      d: boxes(gapsIn(times, span, resolutionMs).map((gap) => ({ ...gap, y: PLOT.top, height: PLOT.bottom - PLOT.top }))),
      fill: HATCH,
    }),
    ...stacks.map((rectangles, phase) => element('path', { d: boxes(rectangles), fill: palette.phases[phase] ?? palette.text })),
    element('path', {
      d: line(times, box, head, resolutionMs),
      fill: 'none',
      stroke: palette.p95,
      'stroke-width': 1.5,
      'stroke-linejoin': 'round',
    }),
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function captionOf(times: readonly ResponseTime[]): string {
  const answers = sum(times.map(({ count }) => count));
  if (answers === 0) return 'No answer in this time';
  const mean = sum(times.map(({ count, means }) => count * (means[6] ?? 0))) / answers;
  return `${label(mean)} ms on average over ${answers.toLocaleString('en')} answers`;
}

const label = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(1);

/** Intervals without a bucket. */
function gapsIn(
  times: readonly ResponseTime[],
  span: { readonly from: number; readonly to: number },
  resolutionMs: number,
): readonly { readonly x: number; readonly width: number }[] {
  const gaps: { x: number; width: number }[] = [];
  let end = span.from;
  for (const at of [...times.map((time) => time.at), span.to]) {
    if (at > end) gaps.push({ x: xOf(span, end), width: xOf(span, Math.min(at, span.to)) - xOf(span, end) });
    end = Math.max(end, at + resolutionMs);
  }
  return gaps;
}

/** Broken at gaps. */
function line(
  times: readonly ResponseTime[],
  box: (time: ResponseTime) => { readonly x: number; readonly width: number },
  head: number,
  resolutionMs: number,
): string {
  let last = -Infinity;
  return times
    .flatMap((time) => {
      if (time.percentiles === null) return [];
      const { x, width } = box(time);
      const move = time.at - last > resolutionMs ? 'M' : 'L';
      last = time.at;
      return [`${move}${short(x + width / 2)} ${short(yOf(time.percentiles.p95, head))}`];
    })
    .join('');
}
