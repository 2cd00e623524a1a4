import { useEffect, useRef, useState } from 'preact/hooks';
import { Failed } from '../parts/states.tsx';
import { asOfShown, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { DAY_LENGTH, fullOf, HOUR_LENGTH, spanOf } from '../time/instants.ts';
import type { ShownSpan } from '../time/scale.ts';
import { chartSeries, type ChartSeries, chartStep } from './chart-series.ts';

const SPANS = [
  { name: '1 h', length: HOUR_LENGTH },
  { name: '6 h', length: 6 * HOUR_LENGTH },
  { name: '24 h', length: DAY_LENGTH },
  { name: '7 days', length: 7 * DAY_LENGTH },
  { name: '90 days', length: 90 * DAY_LENGTH },
];
/** Probes come every 15 to 60 s: a longer silence is a gap. */
const SINGLE_GAP_SECONDS = 150;

/** Response times up to the instant that is shown, closer by dragging over the chart, down to single responses. */
export function ResponseTimes({ id, now, round }: { readonly id: string; readonly now: number; readonly round: number }) {
  const [length, setLength] = useState(6 * HOUR_LENGTH);
  const [drawn, setDrawn] = useState<ShownSpan | null>(null);
  // By whole minutes, so that the chart is read once a minute at most.
  const until = Math.ceil(now / 60_000) * 60_000;
  const { from, to } = drawn ?? { from: until - length, to: until };
  const step = chartStep(from, to);
  const { value, error, reload } = useLoaded(`${id} ${String(from)} ${String(to)} ${String(round)}`, async (signal) => {
    const query = {
      start: new Date(from).toISOString(),
      end: new Date(to).toISOString(),
      resolution: step === null ? 'raw' : String(step),
      ...asOfShown(),
    };
    const { data } = await service.get('/project/{id}/responseTimes', { path: { id }, query, signal });
    return { span: { from, to }, series: chartSeries(data, from, Math.min(to, now), step ?? SINGLE_GAP_SECONDS) };
  });
  const values = value?.series.middle.filter((middle) => middle !== null).toSorted((one, other) => one - other) ?? [];
  const median = values[values.length >> 1];
  return (
    <section class="section" aria-labelledby="response-times">
      <div class="list-head tight">
        <h2 id="response-times">
          Response time, ms{' '}
          <span class="chart-legend">
            {drawn === null ? `last ${spanOf(length)}` : `${spanOf(to - from)} up to ${fullOf(to)}`}
            {median !== undefined && ` · median ${median.toFixed(0)} · band up to the 95th percentile`}
          </span>
        </h2>
        <div class="filters tight">
          {SPANS.map(({ name, length: wanted }) => (
            <button
              key={name}
              class="quiet"
              aria-pressed={drawn === null && wanted === length}
              onClick={() => {
                setDrawn(null);
                setLength(wanted);
              }}
            >
              {name}
            </button>
          ))}
        </div>
      </div>
      {error !== undefined && value === undefined && <Failed what="Response times" error={error} retry={reload} />}
      {value === undefined ? <div class="chart empty" /> : <Chart series={value.series} span={value.span} onZoom={setDrawn} />}
      {value !== undefined && values.length === 0 && <p class="soft">Nothing was measured in this time.</p>}
    </section>
  );
}

interface ChartProps {
  readonly series: ChartSeries;
  readonly span: ShownSpan;
  readonly onZoom: (span: ShownSpan) => void;
}

function Chart({ series, span, onZoom }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isGone = false;
    // The library for charts is loaded by the pages that have one.
    void import('./chart.ts').then(({ drawChart }) => {
      if (!isGone && box.current !== null) remove = drawChart({ element: box.current, series, span, onZoom });
    });
    return () => {
      isGone = true;
      remove?.();
    };
  }, [series]);
  const measured = series.middle.filter((middle) => middle !== null).length;
  return <div ref={box} class="chart" role="img" aria-label={`Chart of ${String(measured)} response times`} />;
}
