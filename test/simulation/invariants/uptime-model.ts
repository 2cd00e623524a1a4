import type { Sample } from '../../../src/platform/observations/samples/sample.ts';
import { DAY, SECOND } from '../time-limits.ts';
import { type Interval, touches } from './interval.ts';

export interface Figures {
  readonly up: number;
  readonly down: number;
  readonly timeout: number;
}

interface Piece extends Interval {
  readonly state: keyof Figures;
}

/**
 * A second model of docs/spec/decisions.md#J11, #J13, written independently of the product: a sample covers the time
 * until the next one, at most two periods; a single failure without another within two periods before or after it does not count.
 */
export function knownTimes(samples: readonly Sample[]): readonly Piece[] {
  const byInstant = new Map(samples.map((sample) => [sample.at, sample]));
  const instants = [...byInstant.keys()].sort((one, other) => one - other);
  const failed = (place: number): boolean => (byInstant.get(instants[place] ?? NaN)?.outcome ?? 'up') !== 'up';
  const spanOf = (place: number): number => (byInstant.get(instants[place] ?? NaN)?.periodSeconds ?? 0) * 2 * SECOND;
  const apart = (place: number): number => (instants[place + 1] ?? Infinity) - (instants[place] ?? -Infinity);
  return instants.map((from, place) => {
    const alone = !(failed(place - 1) && apart(place - 1) <= spanOf(place - 1)) && !(failed(place + 1) && apart(place) <= spanOf(place));
    return { from, to: from + Math.min(apart(place), spanOf(place)), state: alone ? 'up' : (byInstant.get(from)?.outcome ?? 'up') };
  });
}

/** How long it was in which state within a span, but for the time that does not count. */
export function figuresOf(pieces: readonly Piece[], { from, to }: Interval, uncounted: readonly Interval[]): Figures {
  const sums = { up: 0, down: 0, timeout: 0 };
  for (let place = firstAfter(pieces, from); place < pieces.length; place++) {
    const piece = pieces[place];
    if (piece === undefined || piece.from >= to) break;
    const cuts = touches(uncounted, piece.from, piece.to) ? uncounted : [];
    sums[piece.state] += leftOf({ from: Math.max(piece.from, from), to: Math.min(piece.to, to) }, cuts);
  }
  return sums;
}

/** The place of the first that ends later. */
function firstAfter(pieces: readonly Piece[], instant: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.to ?? Infinity) > instant) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Excluded periods may overlap: the remainder is counted from edge to edge. */
function leftOf({ from, to }: Interval, uncounted: readonly Interval[]): number {
  const edges = [from, to, ...uncounted.flatMap((one) => [one.from, one.to])].filter((edge) => edge >= from && edge <= to);
  edges.sort((one, other) => one - other);
  let left = 0;
  edges.forEach((edge, place) => {
    const next = edges[place + 1];
    if (next !== undefined && !touches(uncounted, edge, next)) left += next - edge;
  });
  return left;
}

/** The days of a period at a UTC offset, each cut to the period. */
export function daysOf({ from, to }: Interval, offsetMinutes: number): readonly (Interval & { readonly midnight: number })[] {
  const shift = offsetMinutes * 60 * SECOND;
  const days = [];
  for (let midnight = Math.floor((from + shift) / DAY) * DAY - shift; midnight < to; midnight += DAY)
    days.push({ midnight, from: Math.max(midnight, from), to: Math.min(midnight + DAY, to) });
  return days;
}
