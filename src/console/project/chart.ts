import uPlot from 'uplot';
import { DAY_LENGTH, clockText, dayText, spanOf } from '../time/instants.ts';
import type { ShownSpan } from '../time/scale.ts';
import type { ChartSeries } from './chart-series.ts';

interface ChartInput {
  readonly element: HTMLElement;
  readonly series: ChartSeries;
  readonly outages: readonly ShownSpan[];
  readonly span: ShownSpan;
  /** A person has drawn a span to be shown larger. */
  readonly onZoom: (span: ShownSpan) => void;
  /** Unix seconds of the point under the pointer; null: none. */
  readonly onPoint: (at: number | null) => void;
}

const HEIGHT = 200;
/** Narrower than this a stretch has no place for its words. */
const WORDS_WIDTH = 96;

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The browser, or the time of day, may change between light and dark while the chart is shown. */
const scheme = matchMedia('(prefers-color-scheme: dark)');

/** Draws response times: a line for the middle, a band up to the 95th percentile, hatching where nothing was measured, red where the site was down. Returns how to remove it. */
export function drawChart({ element, series, outages, span, onZoom, onPoint }: ChartInput): () => void {
  const inColor = (name: string) => (): string => color(name);
  const axis = {
    stroke: inColor('--faint'),
    grid: { stroke: inColor('--hair'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  const isLong = span.to - span.from > 2 * DAY_LENGTH;
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
      scales: {
        x: { time: true, range: [span.from / 1000, span.to / 1000] },
        y: { range: (_, __, high) => [0, Math.max(10, high * 1.15)] },
      },
      axes: [
        { ...axis, size: 28, values: (_, ticks) => ticks.map((tick) => (isLong ? dayText(tick * 1000) : clockText(tick * 1000))) },
        { ...axis, size: 44 },
      ],
      series: [
        {},
        { stroke: inColor('--accent'), width: 1.5, points: { show: series.at.length < 3 } },
        { stroke: 'transparent', points: { show: false } },
      ],
      bands: [{ series: [2, 1], fill: () => `${color('--accent')}26` }],
      hooks: {
        drawClear: [(chart) => shade(chart, series, outages)],
        setCursor: [({ cursor: { idx } }) => onPoint(idx == null || series.middle[idx] == null ? null : (series.at[idx] ?? null))],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            if (width < 4) return;
            onZoom({ from: chart.posToVal(left, 'x') * 1000, to: chart.posToVal(left + width, 'x') * 1000 });
          },
        ],
      },
    },
    [[...series.at], [...series.middle], [...series.high]],
    element,
  );
  const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  resized.observe(element);
  const drawAgain = (): void => plot.redraw();
  scheme.addEventListener('change', drawAgain);
  return () => {
    scheme.removeEventListener('change', drawAgain);
    resized.disconnect();
    plot.destroy();
  };
}

const HATCH_STEP = 6;

function shade(chart: uPlot, { gaps }: ChartSeries, outages: readonly ShownSpan[]): void {
  for (const { from, to } of outages) {
    within(chart, from / 1000, to / 1000, ({ ctx, left, width, top, height }) => {
      ctx.fillStyle = color('--bad-wash');
      ctx.fillRect(left, top, Math.max(width, 2 * devicePixelRatio), height);
      label(ctx, `down, ${spanOf(to - from)}`, { left, width, top }, '--bad');
    });
  }
  for (const { from, to } of gaps) {
    within(chart, from, to, ({ ctx, left, width, top, height }) => {
      ctx.beginPath();
      ctx.rect(left, top, width, height);
      ctx.clip();
      ctx.strokeStyle = color('--line');
      ctx.beginPath();
      for (let x = left - height; x < left + width; x += HATCH_STEP) {
        ctx.moveTo(x, top + height);
        ctx.lineTo(x + height, top);
      }
      ctx.stroke();
      label(ctx, `not measured, ${spanOf((to - from) * 1000)}`, { left, width, top }, '--soft');
    });
  }
}

interface Place {
  readonly left: number;
  readonly width: number;
  readonly top: number;
}

/** Draws on a stretch of the chart; `from` and `to` in unix seconds. */
function within(
  chart: uPlot,
  from: number,
  to: number,
  draw: (place: Place & { readonly ctx: CanvasRenderingContext2D; readonly height: number }) => void,
): void {
  const { ctx, bbox } = chart;
  const left = Math.max(bbox.left, chart.valToPos(from, 'x', true));
  const width = Math.min(bbox.left + bbox.width, chart.valToPos(to, 'x', true)) - left;
  if (width < 0 || (width < 1 && to - from > 0 && left >= bbox.left + bbox.width)) return;
  ctx.save();
  draw({ ctx, left, width, top: bbox.top, height: bbox.height });
  ctx.restore();
}

function label(ctx: CanvasRenderingContext2D, words: string, { left, width, top }: Place, ink: string): void {
  if (width < WORDS_WIDTH * devicePixelRatio) return;
  ctx.font = `${String(11 * devicePixelRatio)}px system-ui`;
  ctx.fillStyle = color(ink);
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  ctx.fillText(words, left + 6 * devicePixelRatio, top + 4 * devicePixelRatio);
}
