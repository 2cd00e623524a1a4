import { isLook } from '../../src/checker/schedule/admission.ts';
import type { TurnKind } from '../../src/checker/schedule/turn.ts';

/** Cumulative counts by upper bound in seconds, as in a Prometheus histogram. */
export type Histogram = readonly { readonly edge: number; readonly count: number }[];

const BUCKET = /^watchledger_turn_lateness_seconds_bucket\{(?=[^}]*le="([^"]+)")(?=[^}]*kind="([^"]+)")[^}]*\} (\d+)$/gm;

export interface Lateness {
  /** Of probes and groups of checks. */
  readonly all: Histogram;
  /** Of uptime probes. */
  readonly probes: Histogram;
}

/** The lateness of scheduled turns, summed over these processes since their start. */
export async function lateness(addresses: readonly string[]): Promise<Lateness> {
  const all = new Map<number, number>();
  const probes = new Map<number, number>();
  for (const address of addresses) {
    const text = await (await fetch(`${address}/metrics`)).text();
    for (const [, edge, kind, count] of text.matchAll(BUCKET)) {
      // Looks are late on purpose while others wait. Cast: the service names its own kinds.
      if (isLook(kind as TurnKind)) continue;
      const upper = edge === '+Inf' ? Infinity : Number(edge);
      for (const counts of kind === 'uptime' ? [all, probes] : [all]) counts.set(upper, (counts.get(upper) ?? 0) + Number(count));
    }
  }
  return { all: histogramOf(all), probes: histogramOf(probes) };
}

const histogramOf = (counts: ReadonlyMap<number, number>): Histogram =>
  [...counts].sort(([one], [other]) => one - other).map(([edge, count]) => ({ edge, count }));

export function differenceOf(now: Histogram, before: Histogram): Histogram {
  const earlier = new Map(before.map(({ edge, count }) => [edge, count]));
  return now.map(({ edge, count }) => ({ edge, count: count - (earlier.get(edge) ?? 0) }));
}

/** The upper bound of the bucket that contains this quantile; 0 without observations. */
export function quantile(histogram: Histogram, share: number): number {
  const total = histogram.at(-1)?.count ?? 0;
  return total === 0 ? 0 : (histogram.find(({ count }) => count >= total * share)?.edge ?? Infinity);
}
