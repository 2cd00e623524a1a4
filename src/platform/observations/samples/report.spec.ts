import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { packDay, startOfDay, unpackDay, utcDay } from '../closed-days/day-intervals.codec.ts';
import type { ProbeOutcome } from './probe-outcome.ts';
import { percentages, type ReportRequest, uptimeTotals, type UptimeTotals } from './report.ts';
import { type Interval, REACH, stretchesOf, timeline, type UptimeSample } from './timeline.ts';

const DAY = 86_400_000;
const FEBRUARY = Date.UTC(2024, 1, 28, 20);

/** The slow and obvious way: cut time wherever anything could change, and ask for each piece what the samples say of its middle. */
function naive(samples: readonly UptimeSample[], request: ReportRequest): UptimeTotals {
  const shift = request.offsetMinutes * 60_000;
  const end = Math.min(request.to, request.now);
  const midnights: number[] = [];
  for (let at = Math.floor((request.from + shift) / DAY) * DAY - shift; at <= end; at += DAY) midnights.push(at);
  const cuts = [
    ...samples.flatMap(({ at, periodSeconds }) => [at, at + periodSeconds * 2000]),
    ...midnights,
    ...request.excluded.flatMap(({ from, to }) => [from, to]),
  ];
  const sorted = [request.from, end, ...cuts].filter((at) => at >= request.from && at <= end).sort((one, other) => one - other);
  const days = new Map<number, Record<string, number>>();
  const total: Record<string, number> = {};
  sorted.slice(1).forEach((to, index) => {
    const from = sorted[index] ?? to;
    const middle = (from + to) / 2;
    const kind = request.excluded.some((hole) => hole.from <= middle && middle < hole.to) ? 'maintenance' : stateAt(samples, middle);
    const midnight = Math.floor((middle + shift) / DAY) * DAY - shift;
    const sums = days.get(midnight) ?? {};
    sums[kind] = (sums[kind] ?? 0) + to - from;
    total[kind] = (total[kind] ?? 0) + to - from;
    days.set(midnight, sums);
  });
  const named = (sums: Record<string, number>) => ({
    upMs: sums['up'] ?? 0,
    downMs: sums['down'] ?? 0,
    timeoutMs: sums['timeout'] ?? 0,
    unknownMs: sums['unknown'] ?? 0,
    maintenanceMs: sums['maintenance'] ?? 0,
  });
  return {
    total: named(total),
    days: [...days]
      .filter(([, { up, down, timeout }]) => (up ?? 0) + (down ?? 0) + (timeout ?? 0) > 0)
      .map(([at, sums]) => ({ at, ...named(sums) })),
    daysCount: Math.max(0, Math.floor((request.to - request.from) / DAY)),
  };
}

function stateAt(samples: readonly UptimeSample[], instant: number): ProbeOutcome | 'unknown' {
  const index = samples.findLastIndex(({ at }) => at <= instant);
  const sample = samples[index];
  if (sample === undefined || instant >= sample.at + sample.periodSeconds * 2000) return 'unknown';
  const fails = (other: UptimeSample | undefined): boolean => other !== undefined && other.outcome !== 'up';
  const [before, after] = [samples[index - 1], samples[index + 1]];
  const alone =
    !(before !== undefined && fails(before) && sample.at <= before.at + before.periodSeconds * 2000) &&
    !(after !== undefined && fails(after) && after.at <= sample.at + sample.periodSeconds * 2000);
  return fails(sample) && alone ? 'up' : sample.outcome;
}

/** The way of the service: whole days are closed, packed, read back; the rest is computed from its samples. */
function fromClosedDays(samples: readonly UptimeSample[], request: ReportRequest, closedUntil: number): UptimeTotals {
  const near = (from: number, to: number): UptimeSample[] => samples.filter(({ at }) => at >= from - REACH && at < to + REACH);
  const known: Interval[] = [];
  const first = startOfDay(utcDay(samples[0]?.at ?? FEBRUARY));
  for (let at = first; at < closedUntil; at += DAY) {
    const packed = packDay(utcDay(at), timeline(near(at, at + DAY), { from: at, to: at + DAY }));
    known.push(...unpackDay(utcDay(at), packed));
  }
  const rest = Math.max(first, closedUntil);
  known.push(...timeline(near(rest, Infinity), { from: rest, to: Infinity }));
  return uptimeTotals(known, request);
}

/** Probing in stretches: a period each, now and then a gap, a clock that steps back, hours switched off, a restart in the middle of a suspicion. */
const stretch = fc.record({
  period: fc.constantFrom(15, 30, 60),
  pause: fc.constantFrom(0, 0, 1, 29_999, 30_000, 30_001, 120_000, 3_600_000, 7 * 3_600_000, 90_000_000, -40_000, -3_600_000),
  probes: fc.array(fc.tuple(fc.constantFrom<ProbeOutcome>('up', 'up', 'up', 'down', 'timeout'), fc.integer({ min: -300, max: 900 })), {
    minLength: 1,
    maxLength: 60,
    size: 'max',
  }),
});

const history = fc.array(stretch, { minLength: 1, maxLength: 8 }).map((stretches) => {
  const byInstant = new Map<number, UptimeSample>();
  let at = FEBRUARY;
  for (const { period, pause, probes } of stretches) {
    at += pause;
    for (const [outcome, jitter] of probes) {
      at += period * 1000;
      byInstant.set(at + jitter, { at: at + jitter, outcome, periodSeconds: period });
    }
  }
  return [...byInstant.values()].sort((one, other) => one.at - other.at);
});

const request = fc
  .record({
    from: fc.integer({ min: -2 * DAY, max: 3 * DAY }),
    length: fc.integer({ min: 0, max: 5 * DAY }),
    now: fc.integer({ min: 0, max: 6 * DAY }),
    offsetMinutes: fc.constantFrom(0, 60, 840, -30, 330, 345, -720, -1),
    hole: fc.option(fc.tuple(fc.integer({ min: 0, max: 2 * DAY }), fc.integer({ min: 1, max: DAY })), { nil: null }),
  })
  .map(({ from, length, now, offsetMinutes, hole }): ReportRequest => ({
    from: FEBRUARY + from,
    to: FEBRUARY + from + length,
    now: FEBRUARY + from + now,
    offsetMinutes,
    excluded: hole === null ? [] : [{ from: FEBRUARY + hole[0], to: FEBRUARY + hole[0] + hole[1] }],
  }));

describe('the uptime report', () => {
  it('from closed days and the open rest is what all samples say, over a leap day, in any offset', () => {
    fc.assert(
      fc.property(history, request, fc.integer({ min: -1, max: 5 }), (samples, asked, closed) => {
        const closedUntil = startOfDay('2024-02-28') + closed * DAY;
        expect(fromClosedDays(samples, asked, closedUntil)).toEqual(naive(samples, asked));
      }),
      { numRuns: 400 },
    );
  });

  it('carries a failure over midnight that only the probe four minutes before confirms', () => {
    const midnight = startOfDay('2024-02-29');
    const samples = (
      [
        [-210, 'down'],
        [-100, 'down'],
        [300, 'up'],
      ] as const
    ).map(([seconds, outcome]): UptimeSample => {
      return { at: midnight + seconds * 1000, outcome, periodSeconds: 60 };
    });
    const asked = { from: midnight, to: midnight + 400_000, now: midnight + DAY, offsetMinutes: 0, excluded: [] };
    for (const closedUntil of [0, midnight, midnight + DAY]) {
      expect(fromClosedDays(samples, asked, closedUntil).total).toMatchObject({ downMs: 20_000, upMs: 100_000, unknownMs: 280_000 });
    }
  });

  it('adds up to the time that was asked for', () => {
    fc.assert(
      fc.property(history, request, (samples, asked) => {
        const { total } = fromClosedDays(samples, asked, 0);
        const sum = total.upMs + total.downMs + total.timeoutMs + total.unknownMs + total.maintenanceMs;
        expect(sum).toBe(Math.max(0, Math.min(asked.to, asked.now) - asked.from));
      }),
    );
  });

  const whole = (samples: readonly UptimeSample[], changes: Partial<ReportRequest> = {}): UptimeTotals =>
    uptimeTotals(timeline(samples, { from: 0, to: Infinity }), {
      from: FEBRUARY,
      to: FEBRUARY + 3600_000,
      now: FEBRUARY + 3600_000,
      offsetMinutes: 0,
      excluded: [],
      ...changes,
    });
  const sample = (seconds: number, outcome: ProbeOutcome = 'up', periodSeconds = 60): UptimeSample => ({
    at: FEBRUARY + seconds * 1000,
    outcome,
    periodSeconds,
  });

  it('lets a sample hold at most twice the period', () => {
    expect(whole([sample(0), sample(600)]).total).toMatchObject({ upMs: 240_000, unknownMs: 3_360_000 });
  });

  it('counts down from the first failing probe, and a failure alone as up', () => {
    expect(whole([sample(0), sample(60, 'down'), sample(70, 'timeout'), sample(120)]).total).toMatchObject({
      downMs: 10_000,
      timeoutMs: 50_000,
    });
    expect(whole([sample(0), sample(60, 'down'), sample(70)]).total).toMatchObject({ downMs: 0, upMs: 190_000 });
  });

  it('knows nothing of the future, and nothing before the first sample', () => {
    const { total, days, daysCount } = whole([sample(0)], { from: 0, to: FEBRUARY + 100 * DAY, now: FEBRUARY + 60_000 });
    expect(total).toMatchObject({ upMs: 60_000, unknownMs: FEBRUARY });
    expect(days).toHaveLength(1);
    expect(daysCount).toBe(Math.floor((FEBRUARY + 100 * DAY) / DAY));
  });

  it('is empty for a span of nothing', () => {
    expect(whole([sample(0)], { from: FEBRUARY + 5, to: FEBRUARY })).toMatchObject({
      total: { upMs: 0, unknownMs: 0 },
      days: [],
      daysCount: 0,
    });
  });

  it('gives percentages of the time that is known', () => {
    const { total } = whole([sample(0), sample(60, 'down'), sample(70, 'down'), sample(80)]);
    expect(percentages(total)).toEqual({ up: (180 / 200) * 100, down: (20 / 200) * 100, timeout: 0 });
    expect(percentages(whole([]).total)).toEqual({ up: 0, down: 0, timeout: 0 });
  });
});

it('says of the stretches of pieces what the samples say', () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 0, max: 3_600_000 }), fc.integer({ min: -DAY, max: 3 * DAY }), (samples, begin, from) => {
      const pieceOf = ({ at }: UptimeSample): number => Math.floor((at - begin) / 3_600_000);
      const stretches = [...new Set(samples.map(pieceOf))].flatMap((piece) =>
        stretchesOf(samples.filter((sample) => pieceOf(sample) === piece)),
      );
      for (const span of [
        { from: -Infinity, to: Infinity },
        { from: FEBRUARY + from, to: FEBRUARY + from + DAY },
      ])
        expect(timeline(stretches, span)).toEqual(timeline(samples, span));
    }),
  );
});
