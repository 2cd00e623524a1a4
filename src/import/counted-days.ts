import { DAY_MS } from '../kernel/time.ts';

/** Probes that were up and down, a UTC day each without gaps, from `from` on. */
export interface ImportedHistory {
  readonly from: string;
  readonly up: readonly number[];
  readonly down: readonly number[];
}

interface Counts {
  readonly up: number;
  readonly down: number;
}

/** As many as the service takes (src/watches/imported-uptime): five years, and a probe a second. */
const [MOST_DAYS, MOST_SAMPLES] = [1_830, 86_400];

/** Counts of days from several tables of a source, which repeat each other in part: of each day the table counts that has most samples. */
export class CountedDays {
  private readonly tables = new Map<string, Map<number, Counts>>();

  add(table: string, at: number, up: number, down: number): void {
    if (!Number.isFinite(at) || at < 0) return;
    const day = Math.floor(at / DAY_MS);
    const days = this.tables.get(table) ?? new Map<number, Counts>();
    this.tables.set(table, days);
    const known = days.get(day);
    days.set(day, { up: (known?.up ?? 0) + count(up), down: (known?.down ?? 0) + count(down) });
  }

  /** The history until the day of `now`; null when nothing was counted. */
  history(now: number): ImportedHistory | null {
    const best = new Map<number, Counts>();
    for (const [day, counts] of [...this.tables.values()].flatMap((days) => [...days]))
      if (samplesOf(counts) > samplesOf(best.get(day))) best.set(day, counts);
    const last = Math.floor(now / DAY_MS);
    const days = [...best.keys()].filter((day) => day <= last && day > last - MOST_DAYS).toSorted((a, b) => a - b);
    const [first] = days;
    if (first === undefined) return null;
    const all = Array.from({ length: (days.at(-1) ?? first) - first + 1 }, (_, nth) => best.get(first + nth));
    return {
      from: new Date(first * DAY_MS).toISOString().slice(0, 10),
      up: all.map((day) => Math.min(MOST_SAMPLES, day?.up ?? 0)),
      down: all.map((day) => Math.min(MOST_SAMPLES, day?.down ?? 0)),
    };
  }
}

const count = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0);

const samplesOf = (counts: Counts | undefined): number => (counts === undefined ? 0 : counts.up + counts.down);
