import type { TimeSpan } from '../../../kernel/instants.ts';
import type { Interval } from './timeline.ts';
import { DAY_MS } from '../../../kernel/time.ts';

export interface ReportRequest extends TimeSpan {
  /** The offset from UTC in which calendar days are counted. */
  readonly offsetMinutes: number;
  /** The future does not count as unknown time. */
  readonly now: number;
  /** Left out of everything but `maintenanceMs`; merged and in order. */
  readonly excluded: readonly TimeSpan[];
}

export interface Totals {
  readonly upMs: number;
  readonly downMs: number;
  readonly timeoutMs: number;
  readonly unknownMs: number;
  readonly maintenanceMs: number;
}

export interface DayTotals extends Totals {
  /** Midnight in the request's offset. */
  readonly at: number;
}

export interface UptimeTotals {
  readonly total: Totals;
  /** Days of which something is known, in order. */
  readonly days: readonly DayTotals[];
  readonly daysCount: number;
}

interface Sums {
  up: number;
  down: number;
  timeout: number;
}

/** The uptime report (docs/spec/decisions.md#J13). The intervals do not overlap; their order does not matter. */
export function uptimeTotals(known: Iterable<Interval>, request: ReportRequest): UptimeTotals {
  const { offsetMinutes, excluded } = request;
  const span = { from: request.from, to: Math.min(request.to, request.now) };
  const shift = offsetMinutes * 60_000;
  const days = new Map<number, Sums>();
  for (const { from, to, state } of known) {
    for (const part of without({ from: Math.max(from, span.from), to: Math.min(to, span.to) }, excluded)) {
      for (let begin = part.from; begin < part.to;) {
        const day = Math.floor((begin + shift) / DAY_MS);
        const end = Math.min(part.to, (day + 1) * DAY_MS - shift);
        sumsOf(days, day)[state] += end - begin;
        begin = end;
      }
    }
  }
  const dayTotals = [...days]
    .sort(([one], [other]) => one - other)
    .map(([day, sums]) => {
      const at = day * DAY_MS - shift;
      return { at, ...totals(sums, { from: Math.max(at, span.from), to: Math.min(at + DAY_MS, span.to) }, excluded) };
    });
  const whole = dayTotals.reduce(
    (sum, { upMs, downMs, timeoutMs }) => ({ up: sum.up + upMs, down: sum.down + downMs, timeout: sum.timeout + timeoutMs }),
    none(),
  );
  return {
    total: totals(whole, span, excluded),
    days: dayTotals,
    daysCount: Math.max(0, Math.floor((request.to - request.from) / DAY_MS)),
  };
}

const none = (): Sums => ({ up: 0, down: 0, timeout: 0 });

function sumsOf(days: Map<number, Sums>, day: number): Sums {
  const known = days.get(day);
  if (known !== undefined) return known;
  const sums = none();
  days.set(day, sums);
  return sums;
}

function totals({ up, down, timeout }: Sums, span: TimeSpan, excluded: readonly TimeSpan[]): Totals {
  const maintenanceMs = [...within(excluded, span)].reduce(
    (sum, { from, to }) => sum + Math.min(to, span.to) - Math.max(from, span.from),
    0,
  );
  const unknownMs = Math.max(0, span.to - span.from) - maintenanceMs - up - down - timeout;
  return { upMs: up, downMs: down, timeoutMs: timeout, unknownMs, maintenanceMs };
}

function* without(part: TimeSpan, excluded: readonly TimeSpan[]): Iterable<TimeSpan> {
  let { from } = part;
  for (const hole of within(excluded, part)) {
    if (hole.from > from) yield { from, to: hole.from };
    from = hole.to;
  }
  if (from < part.to) yield { from, to: part.to };
}

/** The spans of a merged list in order that reach into another span: a report asks for every interval. */
function* within(spans: readonly TimeSpan[], { from, to }: TimeSpan): Iterable<TimeSpan> {
  let [first, beyond] = [0, spans.length];
  while (first < beyond) {
    const middle = (first + beyond) >> 1;
    if ((spans[middle]?.to ?? Infinity) <= from) first = middle + 1;
    else beyond = middle;
  }
  for (let place = first; place < spans.length; place++) {
    const span = spans[place];
    if (span === undefined || span.from >= to) return;
    yield span;
  }
}

export interface Percentages {
  readonly up: number;
  readonly down: number;
  readonly timeout: number;
}

/** Percentages of the time that is known; three zeros when none is. */
export function percentages({ upMs, downMs, timeoutMs }: Totals): Percentages {
  const known = upMs + downMs + timeoutMs;
  if (known === 0) return { up: 0, down: 0, timeout: 0 };
  return { up: (upMs / known) * 100, down: (downMs / known) * 100, timeout: (timeoutMs / known) * 100 };
}
