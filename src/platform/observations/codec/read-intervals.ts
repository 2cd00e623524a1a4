import type { ByteReader } from './byte-reader.ts';
import { SECOND_MS } from '../../../kernel/time.ts';

export interface StateInterval<State extends string> {
  readonly from: number;
  readonly to: number;
  readonly state: State;
}

/** Lengths are packed as whole seconds and a remainder in milliseconds. */

/** The inflated bytes of `packIntervals`. */
export function readIntervals<State extends string>(
  states: readonly State[],
  begin: number,
  reader: ByteReader,
): readonly StateInterval<State>[] {
  const count = reader.unsigned();
  const kinds = Array.from({ length: count }, () => reader.unsigned());
  const seconds = Array.from({ length: count }, () => reader.unsigned());
  const intervals: StateInterval<State>[] = [];
  let from = begin;
  for (let index = 0; index < count; index++) {
    const to = from + (seconds[index] ?? 0) * SECOND_MS + reader.signed();
    const state = states[kinds[index] ?? states.length];
    if (state !== undefined) intervals.push({ from, to, state });
    from = to;
  }
  return intervals;
}
