import type { ProbeOutcome } from './probe-outcome.ts';
import { holdOf, reaches } from './timing.ts';

export interface UptimeSample {
  readonly at: number;
  readonly outcome: ProbeOutcome;
  readonly periodSeconds: number;
}

/** Time of which the state is known, from `from` up to, not including, `to`. */
export interface Interval {
  readonly from: number;
  readonly to: number;
  readonly state: ProbeOutcome;
}

/** How far a sample can say something about another: it may be confirmed one hold later, and confirm one hold before. Periods are at most 60 s. */
export const REACH = 240_000;

/**
 * What the samples say (docs/spec/decisions.md#J11 and #J13): each holds until the next, at most twice its period; a failure that no neighbour confirms is up.
 * `samples` in order of time, no two at the same instant, with `REACH` more on either side than the span.
 */
export function timeline(samples: readonly UptimeSample[], span: { readonly from: number; readonly to: number }): readonly Interval[] {
  const intervals: { from: number; to: number; state: ProbeOutcome }[] = [];
  samples.forEach((sample, index) => {
    const next = samples[index + 1];
    const from = Math.max(sample.at, span.from);
    const to = Math.min(sample.at + holdOf(sample), next?.at ?? Infinity, span.to);
    if (from >= to) return;
    const state = stateOf(samples[index - 1], sample, next);
    const last = intervals.at(-1);
    if (last?.to === from && last.state === state) last.to = to;
    else intervals.push({ from, to, state });
  });
  return intervals;
}

function stateOf(before: UptimeSample | undefined, sample: UptimeSample, next: UptimeSample | undefined): ProbeOutcome {
  if (sample.outcome === 'up') return 'up';
  const confirms = before !== undefined && before.outcome !== 'up' && reaches(before, sample);
  const confirmed = next !== undefined && next.outcome !== 'up' && reaches(sample, next);
  return confirms || confirmed ? sample.outcome : 'up';
}
