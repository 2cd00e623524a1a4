import { percentages, uptimeTotals } from '../../platform/observations/samples/report.ts';
import type { Interval } from '../../platform/observations/samples/timeline.ts';
import { boxes, framed, HATCH, PLOT, xOf } from './frame.ts';
import { palettes, type Theme } from './palette.ts';
import { percent, stepFor, timeTicks } from './ticks.ts';
import { element } from '../../kernel/markup.ts';

export interface UptimeChart {
  readonly title: string;
  readonly theme: Theme;
  readonly from: number;
  readonly to: number;
  readonly now: number;
  readonly offsetMinutes: number;
  readonly known: readonly Interval[];
}

const MAX_BARS = 100;
/** Keeps the shortest failure visible. */
const MIN_HEIGHT = 2.5;
const HEIGHT = PLOT.bottom - PLOT.top;
const states = ['up', 'timeout', 'down'] as const;

/** A bar per step of time: uptime from the bottom, failures from the top, unknown time hatched. */
export function uptimeChart({ title, theme, from, to, now, offsetMinutes, known }: UptimeChart): string {
  const palette = palettes[theme];
  const span = { from, to: Math.max(to, from + 60_000) };
  const { total } = uptimeTotals(known, { ...span, now, offsetMinutes, excluded: [] });
  const bars = barsOf(known, span, offsetMinutes);
  const whole = percentages(total);
  const spent = total.upMs + total.downMs + total.timeoutMs;
  const caption =
    spent === 0
      ? 'No measurements in this time'
      : `${percent(whole.up)} up, ${percent(whole.down)} down, ${percent(whole.timeout)} timeout of the time that is known`;
  const colours = { up: palette.up, timeout: palette.timeout, down: palette.down };
  return framed(
    {
      palette,
      title,
      caption,
      span,
      offsetMinutes,
      times: timeTicks(span.from, span.to, offsetMinutes, 10),
      values: [0, 25, 50, 75, 100].map((value) => ({ value, label: `${String(value)} %` })),
      axis: 'Share of time',
      legend: [
        { label: 'Up', fill: palette.up },
        { label: 'Timeout', fill: palette.timeout },
        { label: 'Down', fill: palette.down },
        { label: 'Unknown', fill: HATCH },
      ],
    },
    element('path', { d: boxes(bars.map(({ box }) => ({ ...box, y: PLOT.top, height: HEIGHT }))), fill: HATCH }),
    ...states.map((state) =>
      element('path', { d: boxes(bars.map(({ box, heights }) => ({ ...box, ...heights[state] }))), fill: colours[state] }),
    ),
  );
}

interface Bar {
  readonly box: { readonly x: number; readonly width: number };
  readonly heights: Readonly<Record<(typeof states)[number], { readonly y: number; readonly height: number }>>;
}

/** Bars begin at whole steps in the offset of the request; the first and last are clipped to the span. */
function barsOf(known: readonly Interval[], span: { readonly from: number; readonly to: number }, offsetMinutes: number): readonly Bar[] {
  const step = stepFor(span.to - span.from, MAX_BARS);
  const shift = offsetMinutes * 60_000;
  const sums = new Map<number, Record<(typeof states)[number], number>>();
  for (const { from, to, state } of known) {
    for (let begin = Math.max(from, span.from); begin < Math.min(to, span.to);) {
      const index = Math.floor((begin + shift) / step);
      const end = Math.min(to, span.to, (index + 1) * step - shift);
      const sum = sums.get(index) ?? { up: 0, timeout: 0, down: 0 };
      sum[state] += end - begin;
      sums.set(index, sum);
      begin = end;
    }
  }
  const bars: Bar[] = [];
  for (let index = Math.floor((span.from + shift) / step); index * step - shift < span.to; index++) {
    const [begin, end] = [Math.max(span.from, index * step - shift), Math.min(span.to, (index + 1) * step - shift)];
    const [x, right] = [xOf(span, begin), xOf(span, end)];
    const gap = right - x > 4 ? 1 : 0;
    bars.push({ box: { x, width: right - x - gap }, heights: stacked(sums.get(index) ?? { up: 0, timeout: 0, down: 0 }, end - begin) });
  }
  return bars;
}

function stacked({ up, timeout, down }: Record<(typeof states)[number], number>, length: number): Bar['heights'] {
  const [downHeight, timeoutHeight] = [visibleHeight(down / length), visibleHeight(timeout / length)];
  const upHeight = Math.min((up / length) * HEIGHT, HEIGHT - downHeight - timeoutHeight);
  return {
    down: { y: PLOT.top, height: downHeight },
    timeout: { y: PLOT.top + downHeight, height: timeoutHeight },
    up: { y: PLOT.bottom - upHeight, height: upHeight },
  };
}

const visibleHeight = (share: number): number => (share > 0 ? Math.max(MIN_HEIGHT, share * HEIGHT) : 0);
