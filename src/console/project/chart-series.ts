import type { Schemas } from '../../client.ts';
import type { ShownSpan } from '../time/scale.ts';

export type TimedResponse = Schemas['ResponseTime'];

export interface Phase {
  readonly name: 'name' | 'connect' | 'TLS' | 'request' | 'wait' | 'page';
  readonly milliseconds: number;
}

/** The phases of a response in the order in which they pass. */
export const phasesOf = (response: TimedResponse): readonly Phase[] => [
  { name: 'name', milliseconds: response.dnsLookupTime },
  { name: 'connect', milliseconds: response.initialConnectionTime },
  { name: 'TLS', milliseconds: response.sslTime },
  { name: 'request', milliseconds: response.requestTime },
  { name: 'wait', milliseconds: response.waitingTime },
  { name: 'page', milliseconds: response.contentDownloadTime },
];

/** `name 0, connect 1, TLS 9, request 1, wait 140, page 0 ms`. */
export const phaseWords = (response: TimedResponse): string =>
  `${phasesOf(response)
    .map(({ name, milliseconds }) => `${name} ${milliseconds.toFixed(0)}`)
    .join(', ')} ms`;

interface UptimeEvent {
  readonly type: string;
  readonly at: string;
}

/** The stretches of a span in which the site was down, from its events in the order of time. `wasDown`: it was so before the first of them. */
export function outagesIn(events: readonly UptimeEvent[], { from, to }: ShownSpan, wasDown: boolean): readonly ShownSpan[] {
  const outages: ShownSpan[] = [];
  let since = wasDown ? from : null;
  for (const { type, at } of events) {
    const instant = Math.min(to, Math.max(from, Date.parse(at)));
    if (type === 'UptimeWentDown') since ??= instant;
    else if (type === 'UptimeWentUp' && since !== null) {
      outages.push({ from: since, to: instant });
      since = null;
    }
  }
  return since === null ? outages : [...outages, { from: since, to }];
}

/** A response time as the API answers it, of one response or of a step of time. */
export interface MeasuredTime {
  readonly responseDate: string;
  readonly totalResponseTime: number;
  readonly p50?: number;
  readonly p95?: number;
}

export interface ChartSeries {
  /** Unix seconds. */
  readonly at: readonly number[];
  /** Null when not measured; a line is not drawn across it. */
  readonly middle: readonly (number | null)[];
  readonly high: readonly (number | null)[];
  /** Stretches without a measurement, in unix seconds. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
}

/** Steps in which nothing was measured become gaps. `stepSeconds`: the length of a step; of single responses the longest distance that is none. */
export function chartSeries(times: readonly MeasuredTime[], from: number, to: number, stepSeconds: number): ChartSeries {
  const series = { at: [] as number[], middle: [] as (number | null)[], high: [] as (number | null)[] };
  const gaps: { from: number; to: number }[] = [];
  let end = from / 1000;
  const gapUntil = (next: number): void => {
    if (next - end <= stepSeconds) return;
    gaps.push({ from: end, to: next });
    series.at.push(end + 0.5);
    series.middle.push(null);
    series.high.push(null);
  };
  for (const { responseDate, totalResponseTime, p50, p95 } of times) {
    const at = Date.parse(responseDate) / 1000;
    gapUntil(at);
    series.at.push(at);
    series.middle.push(p50 ?? totalResponseTime);
    series.high.push(p95 ?? p50 ?? totalResponseTime);
    end = at + stepSeconds;
  }
  gapUntil(to / 1000);
  return { ...series, gaps };
}

const STEPS = [60, 300, 1_800, 3_600, 21_600, 86_400] as const;
const MOST_POINTS = 240;
/** Up to so short a span every response is shown. */
const SINGLE_SECONDS = 3_600;

/** The step in which a span is drawn; null: every response by itself. */
export function chartStep(from: number, to: number): number | null {
  const seconds = (to - from) / 1000;
  if (seconds <= SINGLE_SECONDS) return null;
  return STEPS.find((step) => seconds / step <= MOST_POINTS) ?? 86_400;
}
