import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { squeeze, unsqueeze } from '../codec/squeeze.ts';

export type DayState = 'up' | 'down' | 'timeout';

export interface DayInterval {
  readonly from: number;
  readonly to: number;
  readonly state: DayState;
}

export const DAY = 86_400_000;

export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const states: readonly DayState[] = ['up', 'down', 'timeout'];
const UNKNOWN = 3;
const SECOND = 1000;

/**
 * The intervals of one UTC day, exact to the millisecond: alternating states and lengths from midnight on, unknown time between them included. A length
 * is split into whole seconds and the rest, because probes come at nearly whole seconds, and such columns compress.
 */
export function packDay(day: string, intervals: readonly DayInterval[]): Buffer {
  const kinds = new ByteWriter();
  const seconds = new ByteWriter();
  const rests = new ByteWriter();
  let count = 0;
  let end = startOfDay(day);
  const put = (kind: number, length: number): void => {
    const whole = Math.round(length / SECOND);
    kinds.unsigned(kind);
    seconds.unsigned(whole);
    rests.signed(length - whole * SECOND);
    count++;
  };
  for (const { from, to, state } of intervals) {
    if (from < end || to <= from || to > startOfDay(day) + DAY) throw new RangeError(`the intervals of ${day} overlap or leave the day`);
    if (from > end) put(UNKNOWN, from - end);
    put(states.indexOf(state), to - from);
    end = to;
  }
  const all = new ByteWriter();
  all.unsigned(count);
  for (const column of [kinds, seconds, rests]) all.raw(column.done());
  return squeeze(all.done(), 9);
}

export function unpackDay(day: string, packed: Uint8Array): readonly DayInterval[] {
  const reader = new ByteReader(unsqueeze(packed));
  const count = reader.unsigned();
  const kinds = Array.from({ length: count }, () => reader.unsigned());
  const seconds = Array.from({ length: count }, () => reader.unsigned());
  const intervals: DayInterval[] = [];
  let from = startOfDay(day);
  for (let index = 0; index < count; index++) {
    const to = from + (seconds[index] ?? 0) * SECOND + reader.signed();
    const state = states[kinds[index] ?? UNKNOWN];
    if (state !== undefined) intervals.push({ from, to, state });
    from = to;
  }
  return intervals;
}
