import type { ProbeOutcome } from './probe-outcome.ts';
import { endOf, holdOf, reaches } from './sample.ts';

export interface UptimeSample {
  readonly at: number;
  readonly outcome: ProbeOutcome;
  readonly periodSeconds: number;
  /** Set for a stretch: several samples of one outcome, each of which reaches the next. `at` is the first, `periodSeconds` that of the last. */
  readonly lastAt?: number;
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
    const to = Math.min(endOf(sample) + holdOf(sample), next?.at ?? Infinity, span.to);
    if (from >= to) return;
    const state = stateOf(samples[index - 1], sample, next);
    const last = intervals.at(-1);
    if (last?.to === from && last.state === state) last.to = to;
    else intervals.push({ from, to, state });
  });
  return intervals;
}

/** As few as have the same timeline. `samples`: single ones, as above. */
export function stretchesOf(samples: readonly Omit<UptimeSample, 'lastAt'>[]): readonly UptimeSample[] {
  const stretches: { at: number; outcome: ProbeOutcome; periodSeconds: number; lastAt?: number }[] = [];
  for (const { at, outcome, periodSeconds } of samples) {
    const last = stretches.at(-1);
    if (last?.outcome === outcome && reaches(last, { at })) {
      last.lastAt = at;
      last.periodSeconds = periodSeconds;
    } else stretches.push({ at, outcome, periodSeconds });
  }
  return stretches;
}

function stateOf(before: UptimeSample | undefined, sample: UptimeSample, next: UptimeSample | undefined): ProbeOutcome {
  // The samples of a stretch confirm each other.
  if (sample.outcome === 'up' || sample.lastAt !== undefined) return sample.outcome;
  const confirms = before !== undefined && before.outcome !== 'up' && reaches(before, sample);
  const confirmed = next !== undefined && next.outcome !== 'up' && reaches(sample, next);
  return confirms || confirmed ? sample.outcome : 'up';
}
