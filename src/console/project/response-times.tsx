import { useEffect, useRef, useState } from 'preact/hooks';
import { shownInstant } from '../frame/address.ts';
import { Failed } from '../parts/states.tsx';
import { asOfShown, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { clockText, DAY_LENGTH, dayText, HOUR_LENGTH, MINUTE_LENGTH, preciseClockOf, shortOf, spanOf } from '../time/instants.ts';
import type { ShownSpan } from '../time/scale.ts';
import { chartSeries, type ChartSeries, chartStep, outagesIn, phaseWords, type TimedResponse } from './chart-series.ts';
import { Samples } from './samples.tsx';
import { serverNow } from '../time/server-clock.ts';

const SPANS = [
  { name: '1 h', length: HOUR_LENGTH },
  { name: '6 h', length: 6 * HOUR_LENGTH },
  { name: '24 h', length: DAY_LENGTH },
  { name: '7 days', length: 7 * DAY_LENGTH },
  { name: '90 days', length: 90 * DAY_LENGTH },
];
/** Probes come every 15 to 60 s: a longer silence is a gap. */
const SINGLE_GAP_SECONDS = 150;
const CLOSEST = 2 * MINUTE_LENGTH;
const NONE: readonly ShownSpan[] = [];
const UPTIME_TYPES = ['UptimeWentDown', 'UptimeWentUp'];

interface ResponseTimesProps {
  readonly id: string;
  readonly now: number;
  /** Counts the events of the project. */
  readonly round: number;
  /** A stretch that a person has chosen; null: up to the instant that is shown. */
  readonly chosen: ShownSpan | null;
  readonly choose: (span: ShownSpan | null) => void;
}

/** Response times up to the instant that is shown, closer by dragging over the chart or by its buttons, down to single responses and their phases. */
export function ResponseTimes({ id, now, round, chosen, choose }: ResponseTimesProps) {
  const [length, setLength] = useState(6 * HOUR_LENGTH);
  const [point, setPoint] = useState<number | null>(null);
  // By whole minutes, so that the chart is read once a minute at most.
  const until = Math.ceil(now / MINUTE_LENGTH) * MINUTE_LENGTH;
  const { from, to } = chosen ?? { from: until - length, to: until };
  const step = chartStep(from, to);
  const key = `${id} ${chosen === null ? String(length) : `${String(from)} ${String(to)}`} ${String(shownInstant.value)}`;
  const words = chosen === null ? `last ${spanOf(length)}` : spanWords(from, to);
  const { value, error, isStale, reload } = useLoaded(
    key,
    async (signal) => {
      const times = await readTimes(id, { from, to }, step, signal);
      return {
        key,
        words,
        span: { from, to },
        times,
        step,
        series: chartSeries(times, from, Math.min(to, now), step ?? SINGLE_GAP_SECONDS),
      };
    },
    // With the next minute there is more to show.
    to,
  );
  const outages = useLoaded(key, async (signal) => ({ key, spans: await readOutages(id, { from, to }, now, signal) }), round);
  const values = value?.series.middle.filter((middle) => middle !== null).toSorted((one, other) => one - other) ?? [];
  const median = values[values.length >> 1];
  const zoom = (factor: number): void => {
    const wanted = Math.max(CLOSEST, (to - from) * factor);
    const end = Math.min(until, (from + to) / 2 + wanted / 2);
    choose({ from: end - wanted, to: end });
  };
  const move = (by: number): void => {
    if (by > 0 && to >= until) return;
    const end = Math.min(until, to + (to - from) * by);
    choose({ from: end - (to - from), to: end });
  };
  const pointed = point === null ? undefined : value?.times.find(({ responseDate }) => Date.parse(responseDate) / 1000 === point);
  return (
    <section class="section" aria-labelledby="response-times">
      <div class="list-head tight">
        <h2 id="response-times">
          Response time, ms{' '}
          <span class="chart-legend">
            {value?.words ?? words}
            {median !== undefined && ` · median ${median.toFixed(0)} · band to the 95th percentile`}
          </span>
        </h2>
        <div class="filters tight" role="group" aria-label="Time of the chart">
          {SPANS.map(({ name, length: wanted }) => (
            <button
              key={name}
              class="quiet"
              aria-pressed={chosen === null && wanted === length}
              onClick={() => {
                choose(null);
                setLength(wanted);
              }}
            >
              {name}
            </button>
          ))}
          <button class="quiet" aria-label="Earlier" title="Earlier" onClick={() => move(-0.5)}>
            ‹
          </button>
          <button class="quiet" aria-label="Later" title="Later" aria-disabled={to >= until} onClick={() => move(0.5)}>
            ›
          </button>
          <button class="quiet" aria-label="Closer" title="Closer" onClick={() => zoom(0.5)}>
            +
          </button>
          <button class="quiet" aria-label="Wider" title="Wider" onClick={() => zoom(2)}>
            −
          </button>
        </div>
      </div>
      {error !== undefined && value === undefined && <Failed what="Response times" error={error} retry={reload} />}
      {value === undefined ? (
        <div class="chart" />
      ) : (
        // What is still of the span before looks so, and its heading says so.
        <div class={isStale ? 'stale' : ''}>
          <Chart
            series={value.series}
            outages={outages.value?.key === value.key ? outages.value.spans : NONE}
            span={value.span}
            onZoom={choose}
            onPoint={setPoint}
          />
        </div>
      )}
      <p class="chart-legend readout" aria-hidden="true">
        {pointed !== undefined && pointWords(pointed, value?.step ?? null)}
      </p>
      {value !== undefined && values.length === 0 && <p class="soft">Nothing was measured in this time.</p>}
      {value?.step === null && value.times.length > 0 && <Samples times={value.times} />}
    </section>
  );
}

async function readTimes(id: string, { from, to }: ShownSpan, step: number | null, signal: AbortSignal): Promise<readonly TimedResponse[]> {
  const query = {
    start: new Date(from).toISOString(),
    end: new Date(to).toISOString(),
    resolution: step === null ? 'raw' : String(step),
    ...asOfShown(),
  };
  return (await service.get('/project/{id}/responseTimes', { path: { id }, query, signal })).data;
}

/** Down and up again, by the events of the span and the last one before it. */
async function readOutages(id: string, { from, to }: ShownSpan, now: number, signal: AbortSignal): Promise<readonly ShownSpan[]> {
  const [begin, end] = [new Date(from).toISOString(), new Date(Math.min(to, now)).toISOString()];
  const read = (query: object) =>
    service.get('/project/{id}/history', { path: { id }, query: { type: UPTIME_TYPES, ...query }, signal }).then(({ data }) => data.events);
  const [before, within] = await Promise.all([read({ to: begin, limit: 1 }), read({ from: begin, to: end, order: 'asc', limit: 1_000 })]);
  const events = within.map(({ type, occurredAt }) => ({ type, at: occurredAt }));
  return outagesIn(events, { from, to: Math.min(to, now) }, before[0]?.type === 'UptimeWentDown');
}

const spanWords = (from: number, to: number): string => `${dayText(from)}, ${clockText(from)} to ${dayText(to)}, ${clockText(to)}`;

function pointWords(response: TimedResponse, step: number | null): string {
  const at = Date.parse(response.responseDate);
  const milliseconds = (response.p50 ?? response.totalResponseTime).toFixed(0);
  if (step === null) return `${preciseClockOf(at)}: ${milliseconds} ms: ${phaseWords(response)}`;
  return `${spanOf(step * 1_000)} from ${shortOf(at, serverNow())} on: median ${milliseconds} ms, on average ${phaseWords(response)}`;
}

interface ChartProps {
  readonly series: ChartSeries;
  readonly outages: readonly ShownSpan[];
  readonly span: ShownSpan;
  readonly onZoom: (span: ShownSpan) => void;
  readonly onPoint: (at: number | null) => void;
}

function Chart({ series, outages, span, onZoom, onPoint }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isGone = false;
    // The library for charts is loaded by the pages that have one.
    void import('./chart.ts').then(({ drawChart }) => {
      if (!isGone && box.current !== null) remove = drawChart({ element: box.current, series, outages, span, onZoom, onPoint });
    });
    return () => {
      isGone = true;
      remove?.();
    };
  }, [series, outages]);
  const measured = series.middle.filter((middle) => middle !== null).length;
  const down = outages.length === 0 ? '' : `, ${String(outages.length)} ${outages.length === 1 ? 'outage' : 'outages'}`;
  return <div ref={box} class="chart" role="img" aria-label={`Chart of ${String(measured)} response times${down}`} />;
}
