import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordRun } from './verdict.decider.ts';
import { type AcceptedRun, noRecentRuns } from './recent-runs.ts';
import {
  corrected,
  countFailures,
  judgedIntervals,
  type JudgedRun,
  type Outcome,
  type VerdictChange,
  verdictIntervals,
  within,
} from './timeline.ts';
import { type Verdict, verdict } from './verdict.state.ts';

const run = (at: number, outcome: JudgedRun['outcome']): JudgedRun => ({ at: at * 1000, outcome });
const seconds = (intervals: readonly { from: number; to: number; state: string }[]) =>
  intervals.map(({ from, to, state }) => `${String(from / 1000)}-${String(to / 1000)} ${state}`);
const judged = (runs: readonly JudgedRun[], before: 'nothing' | 'ok' | 'failing' = 'ok', span = { from: 0, to: 1_000_000 }) =>
  seconds(judgedIntervals(runs, before, span));

/** What the service says of runs while it makes them. */
function said(runs: readonly JudgedRun[], begin: Verdict): VerdictChange[] {
  const changes: VerdictChange[] = [];
  let [state, recent] = [begin, noRecentRuns];
  for (const { at, outcome } of runs) {
    const evidence = { runId: '', url: '', at: new Date(at).toISOString(), location: 'eu', httpStatus: 200, milliseconds: 1, page: null };
    const failing = outcome === 'ok' || outcome === null ? null : { status: outcome, rules: [outcome], failures: [] };
    const accepted: AcceptedRun = { at, failing, evidence };
    const { events, result } = recordRun(state, recent, accepted, { projectId: 'p', checkId: 'c', confirming: false, chained: true });
    for (const event of events) {
      state = verdict.evolve(state, event);
      if (event.type === 'CheckPassed' || event.type === 'CheckRecovered') changes.push({ at: Date.parse(event.data.since), state: 'ok' });
      if (event.type === 'CheckFailed') changes.push({ at: Date.parse(event.data.since), state: event.data.failing.status });
      if (event.type === 'CheckFailureChanged') changes.push({ at: Date.parse(event.data.since), state: event.data.to.status });
    }
    recent = result;
  }
  return changes;
}

describe('verdicts over a time', () => {
  it('judged by the rules that were in force are those that were said', () => {
    const steps = fc.array(
      fc.record({ gap: fc.integer({ min: 1, max: 400 }), outcome: fc.constantFrom<Outcome>('ok', 'ok', 'error', 'timeout') }),
      {
        minLength: 1,
        maxLength: 60,
        size: 'max',
      },
    );
    fc.assert(
      fc.property(steps, fc.boolean(), (given, passed) => {
        let at = 0;
        const runs = given.map(({ gap, outcome }) => ({ at: (at += gap * 1000), outcome }));
        const begin: Verdict = { ...verdict.initial, standing: passed ? { kind: 'ok' } : { kind: 'none' } };
        const span = { from: runs[0]?.at ?? 0, to: at + 1000 };
        const known = passed ? [{ at: 0, state: 'ok' as const }] : [];
        expect(judgedIntervals(runs, passed ? 'ok' : 'nothing', span)).toEqual(verdictIntervals([...known, ...said(runs, begin)], span));
      }),
      { numRuns: 500 },
    );
  });

  it('hold until the next run, and a failure counts from its first run when another confirms it', () => {
    expect(judged([run(0, 'ok'), run(60, 'error'), run(80, 'error'), run(120, 'ok')], 'ok', { from: 0, to: 200_000 })).toEqual([
      '0-60 ok',
      '60-120 error',
      '120-200 ok',
    ]);
    expect(judged([run(0, 'ok'), run(60, 'error'), run(80, 'ok')], 'ok', { from: 0, to: 100_000 })).toEqual(['0-100 ok']);
    expect(judged([run(0, 'error')], 'nothing', { from: 0, to: 100_000 })).toEqual(['0-100 error']);
  });

  it('of a run that nothing was kept of count as no time, and a failure before it counts', () => {
    expect(judged([run(0, 'ok'), run(60, null), run(120, 'error'), run(180, null)], 'ok', { from: 0, to: 200_000 })).toEqual([
      '0-60 ok',
      '120-180 error',
    ]);
  });

  it('begin with what the run before them said', () => {
    expect(judged([run(-100, 'ok'), run(100, 'error'), run(200, 'error')], 'failing', { from: 0, to: 300_000 })).toEqual([
      '0-100 ok',
      '100-300 error',
    ]);
  });
});

describe('corrections', () => {
  const error = (from: number, to: number) => ({ from, to, state: 'error' as const });
  const ok = (from: number, to: number) => ({ from, to, state: 'ok' as const });

  it('count in their own time, the last one on top, and what they could not judge is left out', () => {
    const original = [error(0, 100)];
    const first = { from: 10, to: 50, verdicts: [ok(10, 50)] };
    const second = { from: 40, to: 60, verdicts: [error(45, 60)] };
    expect(corrected(original, [first])).toEqual([error(0, 10), ok(10, 50), error(50, 100)]);
    expect(corrected(original, [first, second])).toEqual([error(0, 10), ok(10, 40), error(45, 100)]);
    expect(corrected(original, [second, first])).toEqual([error(0, 10), ok(10, 50), error(50, 100)]);
  });

  it('say nothing of time in which no verdict held', () => {
    expect(corrected([ok(0, 10), ok(20, 30)], [{ from: 5, to: 25, verdicts: [error(5, 25)] }])).toEqual([
      ok(0, 5),
      error(5, 10),
      error(20, 25),
      ok(25, 30),
    ]);
  });

  it('know how often something began to fail', () => {
    expect(countFailures([error(0, 10), { from: 10, to: 20, state: 'timeout' }, ok(20, 30), error(30, 40), error(50, 60)])).toBe(3);
  });

  it('are cut to what is asked, however the pieces lie', () => {
    const pieces = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 })), { maxLength: 8 });
    const laid = (given: readonly (readonly [number, number])[]) => {
      let at = 0;
      return given.map(([length, gap]) => ({ from: (at += gap), to: (at += length), state: 'ok' as const }));
    };
    const points = (spans: readonly { from: number; to: number }[]) =>
      new Set(spans.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i)));
    fc.assert(
      fc.property(pieces, pieces, (one, other) => {
        const [a, b] = [laid(one), laid(other)];
        expect(points(within(a, b))).toEqual(new Set([...points(a)].filter((point) => points(b).has(point))));
      }),
    );
  });
});
