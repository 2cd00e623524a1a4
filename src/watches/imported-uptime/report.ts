import type { TimeSpan } from '../../kernel/instants.ts';
import type { ImportedDays } from './imported-uptime.events.ts';

/** Imported days within a time, summed up. */
export interface ImportedShare {
  readonly origin: string;
  /** Midnight of the first day. */
  readonly from: number;
  /** Midnight behind the last day. */
  readonly to: number;
  readonly up: number;
  readonly samples: number;
}

const DAY_MS = 86_400_000;

/** Of the days that begin within the span and have samples; null where there is none. */
export function importedWithin({ origin, from, up, down }: ImportedDays, span: TimeSpan): ImportedShare | null {
  const first = Date.parse(from);
  const days = up.flatMap((ups, nth) => {
    const at = first + nth * DAY_MS;
    const samples = ups + (down[nth] ?? 0);
    return at >= span.from && at < span.to && samples > 0 ? [{ at, ups, samples }] : [];
  });
  const [begin, end] = [days[0], days.at(-1)];
  if (begin === undefined || end === undefined) return null;
  const sum = (of: (day: (typeof days)[number]) => number): number => days.reduce((total, day) => total + of(day), 0);
  return { origin, from: begin.at, to: end.at + DAY_MS, up: sum(({ ups }) => ups), samples: sum(({ samples }) => samples) };
}
