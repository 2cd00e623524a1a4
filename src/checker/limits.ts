import type { Config } from '../platform/config/config.ts';
import { ConcurrencyLimit, type ConcurrencyLimitOptions } from '../kernel/concurrency-limit.ts';
import type { CheckerFigures } from './checker-meter.ts';
import { largeBodyLimit } from './probe/prober.ts';

/** What all accounts share in a checker; each gets a share, and they take turns. */
export interface CheckerLimits {
  /** Fetches of checks. A job's yield to scheduled ones. */
  readonly fetches: ConcurrencyLimit;
  /** Uptime probes, whose times matter most: they wait for nothing else. */
  readonly probes: ConcurrencyLimit;
  /** Inspections of certificates, redirects and homepages. */
  readonly looks: ConcurrencyLimit;
  readonly largeBodies: ConcurrencyLimit;
}

/** Waiting work, as a multiple of what is under way: with the default timeout of 30 s it takes a few minutes in the worst case. */
const QUEUE_FACTOR = 20;
const MAX_LOOKS = 40;
const MAX_WAITING_LOOKS = 2_000;

type Settings = Pick<Config, 'checkerFetches' | 'checkerProbes' | 'accountPercent'>;

export function openLimits(
  { checkerFetches, checkerProbes, accountPercent }: Settings,
  time: Pick<ConcurrencyLimitOptions, 'monotonicNow'> = {},
): CheckerLimits {
  const shared = (max: number, maxQueue: number): ConcurrencyLimit => {
    const maxPerAccount = Math.max(1, Math.floor((max * accountPercent) / 100));
    return new ConcurrencyLimit(max, { maxQueue, maxPerAccount, shares: 'permits and queue', ...time });
  };
  return {
    fetches: shared(checkerFetches, checkerFetches * QUEUE_FACTOR),
    probes: shared(checkerProbes, checkerProbes * QUEUE_FACTOR),
    looks: shared(MAX_LOOKS, MAX_WAITING_LOOKS),
    largeBodies: largeBodyLimit(),
  };
}

/** Work that waited longer than this for a permit is late: the shortest period of an uptime probe, and of checks well below theirs. */
const LATE_MS = { probes: 15_000, others: 60_000 };

/** Waiting work by queue, and the largest share of a limit that one account has. */
export function limitFigures({ fetches, probes, looks, largeBodies }: CheckerLimits): Pick<CheckerFigures, 'queues' | 'largestShares'> {
  return {
    queues: {
      fetches: fetches.lane(false, LATE_MS.others),
      'job fetches': fetches.lane(true, LATE_MS.others),
      probes: probes.lane(false, LATE_MS.probes),
      looks: looks.lane(false, LATE_MS.others),
      'large pages': largeBodies.lane(false, LATE_MS.others),
    },
    largestShares: { fetches: fetches.largestShare, probes: probes.largestShare, looks: looks.largestShare },
  };
}
