import type { Palette } from './palette.ts';
import { element, FONT, type SvgMarkup, short } from '../../kernel/markup.ts';
import { instantLabel, type Tick } from './ticks.ts';

export const CHART_WIDTH = 840;
export const CHART_HEIGHT = 300;
/** The area of the data. */
export const PLOT = { left: 64, right: 820, top: 74, bottom: 234 } as const;

export interface Labelled {
  readonly value: number;
  readonly label: string;
}

export interface Legend {
  readonly label: string;
  readonly fill: string;
}

export interface ChartFrame {
  readonly palette: Palette;
  readonly title: string;
  readonly caption: string;
  readonly span: { readonly from: number; readonly to: number };
  readonly offsetMinutes: number;
  readonly times: readonly Tick[];
  /** The labels of the value axis, ascending. */
  readonly values: readonly Labelled[];
  readonly axis: string;
  readonly legend: readonly Legend[];
}

export const HATCH = 'url(#hatch)';

/** Title, caption, labelled axes, grid and legend around the data: the same for every chart. */
export function framed(frame: ChartFrame, ...data: readonly SvgMarkup[]): string {
  const { palette, title, caption, span, offsetMinutes } = frame;
  const description = `${caption}. From ${instantLabel(span.from, offsetMinutes)} to ${instantLabel(span.to, offsetMinutes)}, ${offsetLabel(offsetMinutes)}.`;
  const document = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${String(CHART_WIDTH)} ${String(CHART_HEIGHT)}`,
      width: CHART_WIDTH,
      height: CHART_HEIGHT,
      role: 'img',
      'font-family': FONT,
      'font-size': 12,
      fill: palette.text,
    },
    element('title', {}, title),
    element('desc', {}, description),
    element('defs', {}, hatch(palette)),
    element('rect', { width: CHART_WIDTH, height: CHART_HEIGHT, fill: palette.background }),
    element('text', { x: 20, y: 30, 'font-size': 17, 'font-weight': 600 }, truncated(title, 86)),
    element('text', { x: 20, y: 50, fill: palette.faint }, truncated(caption, 130)),
    ...grid(frame),
    ...data,
    ...axes(frame),
    ...legend(frame),
  );
  return document.text;
}

export const xOf = ({ from, to }: ChartFrame['span'], at: number): number =>
  PLOT.left + ((at - from) / Math.max(1, to - from)) * (PLOT.right - PLOT.left);
export const yOf = (value: number, head: number): number => PLOT.bottom - (value / head) * (PLOT.bottom - PLOT.top);

/** Rectangles as one path, so that a chart with hundreds of them stays small. */
export const boxes = (
  rectangles: readonly { readonly x: number; readonly y: number; readonly width: number; readonly height: number }[],
): string =>
  rectangles
    .filter(({ width, height }) => width > 0 && height > 0)
    .map(({ x, y, width, height }) => `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`)
    .join('');

function hatch({ hatch: colour, background }: Palette): SvgMarkup {
  return element(
    'pattern',
    { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    element('rect', { width: 6, height: 6, fill: background }),
    element('rect', { width: 1.5, height: 6, fill: colour, 'fill-opacity': '0.6' }),
  );
}

function grid({ palette, values }: ChartFrame): readonly SvgMarkup[] {
  const head = values.at(-1)?.value ?? 1;
  return values.map(({ value }) =>
    element('path', { d: `M${String(PLOT.left)} ${short(yOf(value, head))}H${String(PLOT.right)}`, stroke: palette.grid, fill: 'none' }),
  );
}

function axes({ palette, span, times, values, axis, offsetMinutes }: ChartFrame): readonly SvgMarkup[] {
  const head = values.at(-1)?.value ?? 1;
  const middle = (PLOT.top + PLOT.bottom) / 2;
  return [
    ...values.map(({ value, label }) =>
      element('text', { x: PLOT.left - 8, y: yOf(value, head) + 4, 'text-anchor': 'end', fill: palette.faint }, label),
    ),
    element('text', { x: 14, y: middle, 'text-anchor': 'middle', fill: palette.faint, transform: `rotate(-90 14 ${short(middle)})` }, axis),
    element('path', { d: `M${String(PLOT.left)} ${String(PLOT.bottom)}H${String(PLOT.right)}`, stroke: palette.faint, fill: 'none' }),
    ...times.flatMap(({ at, label }) => {
      const x = xOf(span, at);
      const mark = element('path', { d: `M${short(x)} ${String(PLOT.bottom)}v5`, stroke: palette.faint });
      return [mark, element('text', { x, y: PLOT.bottom + 20, 'text-anchor': 'middle', fill: palette.faint }, label)];
    }),
    element(
      'text',
      { x: PLOT.right, y: CHART_HEIGHT - 14, 'text-anchor': 'end', fill: palette.faint, 'font-size': 11 },
      offsetLabel(offsetMinutes),
    ),
  ];
}

function legend({ palette, legend: entries }: ChartFrame): readonly SvgMarkup[] {
  let x: number = PLOT.left;
  return entries.flatMap(({ label, fill }) => {
    const at = x;
    x += 36 + label.length * 7;
    return [
      element('rect', { x: at, y: CHART_HEIGHT - 24, width: 12, height: 12, rx: 2, fill, stroke: palette.grid }),
      element('text', { x: at + 18, y: CHART_HEIGHT - 14 }, label),
    ];
  });
}

function offsetLabel(offsetMinutes: number): string {
  const absolute = Math.abs(offsetMinutes);
  const [hours, minutes] = [Math.floor(absolute / 60), absolute % 60].map((part) => String(part).padStart(2, '0')) as [string, string]; // map keeps the length
  return offsetMinutes === 0 ? 'UTC' : `UTC${offsetMinutes < 0 ? '−' : '+'}${hours}:${minutes}`;
}

const truncated = (text: string, maxLength: number): string => (text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text);
