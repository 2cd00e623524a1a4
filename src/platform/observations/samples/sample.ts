import type { RecordedItem } from '../codec/recording.ts';

/** One stored probe of a site. Phases in milliseconds, to a tenth; phases that were not completed are 0. */
export interface Sample extends RecordedItem {
  readonly outcome: 'up' | 'down' | 'timeout';
  readonly periodSeconds: number;
  /** The status of the last answer; 0 without an answer. */
  readonly httpStatus: number;
  readonly reason: string | null;
  readonly dns: number;
  readonly connect: number;
  readonly tls: number;
  readonly request: number;
  readonly waiting: number;
  readonly download: number;
  readonly total: number;
}

/** A sample without its phases. */
export type SampleOutcome = Pick<Sample, 'at' | 'recordedAt' | 'outcome' | 'periodSeconds' | 'httpStatus' | 'reason'>;

export const phases = ['dns', 'connect', 'tls', 'request', 'waiting', 'download', 'total'] as const;

/** Sorts by time, one sample per millisecond: of two at one instant (a clock that stepped back) the one accepted later counts. */
export function inTimeOrder<Item extends { readonly at: number }>(samples: readonly Item[]): readonly Item[] {
  if (isAscending(samples)) return samples;
  const sorted = samples
    .map((sample, index) => ({ sample, index }))
    .sort((one, other) => one.sample.at - other.sample.at || one.index - other.index);
  return sorted.flatMap(({ sample }, index) => (sorted[index + 1]?.sample.at === sample.at ? [] : [sample]));
}

/** The usual case; sorting is needed only after a clock stepped back. */
function isAscending(samples: readonly { readonly at: number }[]): boolean {
  for (let index = 1; index < samples.length; index++) if ((samples[index - 1]?.at ?? 0) >= (samples[index]?.at ?? 0)) return false;
  return true;
}

/** A sample holds until the next, at most twice the period (docs/spec/decisions.md#J13). */
export const holdOf = (sample: { readonly periodSeconds: number }): number => sample.periodSeconds * 2000;

interface Timed {
  readonly at: number;
  readonly periodSeconds: number;
  readonly lastAt?: number;
}

/** When a sample, or the last of a stretch of samples, was made. */
export const endOf = ({ at, lastAt = at }: Pick<Timed, 'at' | 'lastAt'>): number => lastAt;

/** The next sample came soon enough to say something about the time in between. */
export const reaches = (sample: Timed, next: { readonly at: number }): boolean => next.at - endOf(sample) <= holdOf(sample);

/** When a suspicion is probed again: 10 s later, sooner where the next regular probe is near (docs/spec/decisions.md#J11). */
export const confirmationDelay = (periodSeconds: number): number => Math.min(10_000, Math.round((periodSeconds * 1000) / 3));
