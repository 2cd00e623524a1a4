import { ByteReader } from './byte-reader.ts';
import { ByteWriter, deflatePack, inflatePack } from './bytes.ts';
import { readIntervals, type StateInterval } from './read-intervals.ts';
import { SECOND_MS } from '../../../kernel/time.ts';

/**
 * Packs disjoint intervals, exact to the millisecond: states and lengths from `begin` on, unknown time in between included. A length is split into whole
 * seconds and a remainder, because probes run at nearly whole seconds and such columns compress well.
 */
export function packIntervals<State extends string>(
  states: readonly State[],
  begin: number,
  intervals: readonly StateInterval<State>[],
): Buffer {
  const kinds = new ByteWriter();
  const seconds = new ByteWriter();
  const remainders = new ByteWriter();
  let count = 0;
  let end = begin;
  const put = (kind: number, length: number): void => {
    const whole = Math.round(length / SECOND_MS);
    kinds.unsigned(kind);
    seconds.unsigned(whole);
    remainders.signed(length - whole * SECOND_MS);
    count++;
  };
  for (const { from, to, state } of intervals) {
    if (from < end || to <= from) throw new RangeError('intervals must be ascending and must not overlap');
    if (from > end) put(states.length, from - end);
    put(states.indexOf(state), to - from);
    end = to;
  }
  const all = new ByteWriter();
  all.unsigned(count);
  for (const column of [kinds, seconds, remainders]) all.raw(column.done());
  return deflatePack(all.done(), 9);
}

export const unpackIntervals = <State extends string>(
  states: readonly State[],
  begin: number,
  packed: Uint8Array,
): readonly StateInterval<State>[] => readIntervals(states, begin, new ByteReader(inflatePack(packed)));
