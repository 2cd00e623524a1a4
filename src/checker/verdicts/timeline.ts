import type { TimeSpan } from '../../kernel/instants.ts';
import { CONFIRMS_AFTER } from './recent-runs.ts';

export type Outcome = 'ok' | 'error' | 'timeout';

/** Time in which a verdict held, from `from` up to, not including, `to`. */
export interface VerdictInterval extends TimeSpan {
  readonly state: Outcome;
}

/** A moment from which on another verdict holds. */
export interface VerdictChange {
  readonly at: number;
  readonly state: Outcome;
}

export interface JudgedRun {
  readonly at: number;
  /** Null when too little of the run was kept to judge it. */
  readonly outcome: Outcome | null;
}

/** The state at the beginning of a span. */
export type Before = 'nothing' | 'ok' | 'failing';

/** `changes` in the order of their events; one that reaches back, as a confirmed failure does, replaces the changes after its instant. */
export function verdictIntervals(changes: readonly VerdictChange[], { from, to }: TimeSpan): readonly VerdictInterval[] {
  const steps: VerdictChange[] = [];
  for (const change of changes) {
    while ((steps.at(-1)?.at ?? -Infinity) >= change.at) steps.pop();
    steps.push(change);
  }
  return joined(
    steps.flatMap(({ at, state }, index) => {
      const interval = { from: Math.max(at, from), to: Math.min(steps[index + 1]?.at ?? Infinity, to) };
      return interval.from < interval.to ? [{ ...interval, state }] : [];
    }),
  );
}

/**
 * What a check would have said, had its runs been judged so: each run holds until the next. As with the verdicts themselves, a failure counts from its
 * first run on when a later run confirms it, or at once where nothing held before. One that no later run could speak of counts as well. `runs` in order,
 * beginning with the last one before the span and with those soon after it, of which `null` leaves its time out.
 */
export function judgedIntervals(runs: readonly JudgedRun[], before: Before, { from, to }: TimeSpan): readonly VerdictInterval[] {
  const states = confirmedStates(runs, before);
  return joined(
    runs.flatMap(({ at }, index) => {
      const state = states[index] ?? null;
      const interval = { from: Math.max(at, from), to: Math.min(runs[index + 1]?.at ?? Infinity, to) };
      return state !== null && interval.from < interval.to ? [{ ...interval, state }] : [];
    }),
  );
}

function confirmedStates(runs: readonly JudgedRun[], before: Before): readonly (Outcome | null)[] {
  const states: (Outcome | null)[] = [];
  let standing = before;
  for (let index = 0; index < runs.length;) {
    if (!isFailing(runs[index])) {
      const outcome = runs[index]?.outcome ?? null;
      states.push(outcome);
      if (outcome === 'ok') standing = 'ok';
      index++;
      continue;
    }
    let end = index + 1;
    while (isFailing(runs[end])) end++;
    const series = runs.slice(index, end);
    const counted = countedStates(series, standing, runs[end]?.outcome === null);
    states.push(...counted);
    if (counted.at(-1) !== 'ok') standing = 'failing';
    index += series.length;
  }
  return states;
}

const isFailing = (run: JudgedRun | undefined): boolean => run?.outcome === 'error' || run?.outcome === 'timeout';

/** The states of consecutive failing runs; `open`: the run after them could not be judged. */
function countedStates(series: readonly JudgedRun[], standing: Before, open: boolean): readonly (Outcome | null)[] {
  const own = series.map(({ outcome }) => outcome);
  if (standing !== 'ok') return own;
  const first = series[0]?.at ?? 0;
  const confirming = series.findIndex(({ at }) => at - first >= CONFIRMS_AFTER);
  if (confirming === -1) return open ? own : own.map(() => 'ok');
  // Before its confirmation a failure has the state of the confirming run.
  return own.map((outcome, index) => (index < confirming ? (own[confirming] ?? null) : outcome));
}

/** Applies each correction within its span, the latest on top; time that a correction could not judge has no state. */
export function corrected(
  original: readonly VerdictInterval[],
  corrections: readonly (TimeSpan & { readonly verdicts: readonly VerdictInterval[] })[],
): readonly VerdictInterval[] {
  return joined(
    corrections.reduce<readonly VerdictInterval[]>((known, { from, to, verdicts }) => {
      // Only where a verdict held then: while a check was off, it was right about nothing.
      const inside = within(within(verdicts, original), [{ from, to }]);
      return [...within(known, [{ from: -Infinity, to: from }]), ...inside, ...within(known, [{ from: to, to: Infinity }])];
    }, original),
  );
}

/** How often something began to fail. */
export const countFailures = (intervals: readonly VerdictInterval[]): number =>
  intervals.filter(({ from, state }, index) => {
    const last = intervals[index - 1];
    return state !== 'ok' && (last === undefined || last.state === 'ok' || last.to !== from);
  }).length;

/** The parts of the intervals that lie in the spans; both are in order, and neither overlaps itself. */
export function within(intervals: readonly VerdictInterval[], spans: readonly TimeSpan[]): readonly VerdictInterval[] {
  const parts: VerdictInterval[] = [];
  let place = 0;
  for (const interval of intervals) {
    while ((spans[place]?.to ?? Infinity) <= interval.from) place++;
    for (let at = place; ; at++) {
      const span = spans[at];
      if (span === undefined || span.from >= interval.to) break;
      parts.push({ ...interval, from: Math.max(interval.from, span.from), to: Math.min(interval.to, span.to) });
    }
  }
  return parts;
}

function joined(intervals: readonly VerdictInterval[]): readonly VerdictInterval[] {
  const result: VerdictInterval[] = [];
  for (const interval of intervals) {
    const last = result.at(-1);
    if (last?.to === interval.from && last.state === interval.state) result[result.length - 1] = { ...last, to: interval.to };
    else result.push(interval);
  }
  return result;
}
