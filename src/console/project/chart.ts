import uPlot from 'uplot';
import { DAY_LENGTH, clockText, dayText } from '../time/instants.ts';
import type { ShownSpan } from '../time/scale.ts';
import type { ChartSeries } from './chart-series.ts';

interface ChartInput {
  readonly element: HTMLElement;
  readonly series: ChartSeries;
  readonly span: ShownSpan;
  /** A person has drawn a span to look at closely. */
  readonly onZoom: (span: ShownSpan) => void;
}

const HEIGHT = 200;

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Draws response times: a line for the middle, a band up to the 95th percentile, hatching where nothing was measured. Returns how to remove it. */
export function drawChart({ element, series, span, onZoom }: ChartInput): () => void {
  const axis = { stroke: color('--faint'), grid: { stroke: color('--hair'), width: 1 }, ticks: { show: false }, font: '11px system-ui' };
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
        { ...axis, values: (_, ticks) => ticks.map((tick) => (isLong ? dayText(tick * 1000) : clockText(tick * 1000))) },
        { ...axis, size: 44 },
      ],
      series: [
        {},
        { stroke: color('--accent'), width: 1.5, points: { show: series.at.length < 3 } },
        { stroke: 'transparent', points: { show: false } },
      ],
      bands: [{ series: [2, 1], fill: `${color('--accent')}26` }],
      hooks: {
        drawClear: [(chart) => hatch(chart, series)],
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
  return () => {
    resized.disconnect();
    plot.destroy();
  };
}

const HATCH_STEP = 6;

function hatch(chart: uPlot, { gaps }: ChartSeries): void {
  const { ctx, bbox } = chart;
  for (const { from, to } of gaps) {
    const left = Math.max(bbox.left, chart.valToPos(from, 'x', true));
    const width = Math.min(bbox.left + bbox.width, chart.valToPos(to, 'x', true)) - left;
    if (width < 1) continue;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = color('--line');
    ctx.beginPath();
    for (let x = left - bbox.height; x < left + width; x += HATCH_STEP) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
}
