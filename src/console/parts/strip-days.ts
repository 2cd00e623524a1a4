import { DAY_LENGTH, MINUTE_LENGTH, spanOf } from '../time/instants.ts';

/** Seconds of each day; the rest of a day the site was up. */
export interface DaySeconds {
  readonly from: string;
  readonly down: readonly number[];
  readonly unknown: readonly number[];
  readonly maintenance: readonly number[];
}

export interface StripDay {
  /** Its UTC midnight. */
  readonly at: number;
  readonly kind: 'up' | 'down' | 'maintenance' | 'unknown';
  /** Heights of what is red, from below, and of what is hatched, from above, as shares of the bar; each is visible where there is any. What is left was measured and well. */
  readonly down: number;
  readonly unknown: number;
  readonly downSeconds: number;
  readonly unknownSeconds: number;
}

const DAY = 86_400;
/** A minute of an outage is seen. */
const LEAST = 0.18;
/** The smallest unmeasured share of a day that is drawn: that of a restart of the service is smaller. */
const SMALLEST_GAP = 0.005;
/** A day is called unmeasured, or as planned work, from this share of it on. */
const MOSTLY = 0.5;

/** The days of a strip, the last `shown` of them. `at`: until when the last day was measured. */
export function stripDays({ from, down, unknown, maintenance }: DaySeconds, at: number, shown = down.length): readonly StripDay[] {
  const begin = Date.parse(from);
  const days = down.map((downSeconds, index): StripDay => {
    const day = begin + index * DAY * 1000;
    const length = Math.min(DAY, Math.max(1, (at - day) / 1000));
    const unknownSeconds = unknown[index] ?? 0;
    const planned = maintenance[index] ?? 0;
    const kind = downSeconds > 0 ? 'down' : unknownSeconds > length * MOSTLY ? 'unknown' : planned > length * MOSTLY ? 'maintenance' : 'up';
    const down = heightOf(downSeconds / length);
    const hatched = unknownSeconds < length * SMALLEST_GAP ? 0 : heightOf(unknownSeconds / length);
    // Where both fill the bar, what is red keeps its height.
    return { at: day, kind, down, unknown: Math.min(hatched, 1 - down), downSeconds, unknownSeconds };
  });
  return days.slice(-shown);
}

const heightOf = (share: number): number => (share === 0 ? 0 : Math.min(1, Math.max(LEAST, share)));

/** What the days say together. `at`: until when the last one was measured. */
export function stripWords(days: readonly StripDay[], at: number): string {
  const sumOf = (seconds: (day: StripDay) => number): number => days.reduce((sum, day) => sum + seconds(day), 0) * 1000;
  const [down, unknown] = [sumOf(({ downSeconds }) => downSeconds), sumOf(({ unknownSeconds }) => unknownSeconds)];
  const measured = days.reduce((sum, day) => sum + Math.min(DAY_LENGTH, at - day.at), 0) - unknown;
  if (measured < MINUTE_LENGTH) return 'not measured';
  const said = down === 0 ? 'never down' : `${spanOf(down)} down`;
  return unknown < MINUTE_LENGTH ? said : `${said}, ${spanOf(unknown)} not measured`;
}
