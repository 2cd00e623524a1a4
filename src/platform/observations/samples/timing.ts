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
