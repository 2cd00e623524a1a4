/** One probe of a site as it is kept. Times of its phases in milliseconds, to a tenth; all 0 where no whole answer came but for those that passed. */
export interface Sample {
  readonly at: number;
  readonly outcome: 'up' | 'down' | 'timeout';
  readonly periodSeconds: number;
  /** Of the last answer; 0 when there was none. */
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
export type Outcome = Pick<Sample, 'at' | 'outcome' | 'periodSeconds' | 'httpStatus' | 'reason'>;

export const phases = ['dns', 'connect', 'tls', 'request', 'waiting', 'download', 'total'] as const;

/** In order of time, one an instant: of two at the same millisecond (a clock that stepped back) the later accepted one counts. */
export function inOrder<Item extends { readonly at: number }>(samples: readonly Item[]): readonly Item[] {
  if (isAscending(samples)) return samples;
  const sorted = samples
    .map((sample, index) => ({ sample, index }))
    .sort((one, other) => one.sample.at - other.sample.at || one.index - other.index);
  return sorted.flatMap(({ sample }, index) => (sorted[index + 1]?.sample.at === sample.at ? [] : [sample]));
}

/** As nearly always: sorting is for clocks that stepped. */
function isAscending(samples: readonly { readonly at: number }[]): boolean {
  for (let index = 1; index < samples.length; index++) if ((samples[index - 1]?.at ?? 0) >= (samples[index]?.at ?? 0)) return false;
  return true;
}
