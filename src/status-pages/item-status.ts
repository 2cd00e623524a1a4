import { percentages, uptimeTotals } from '../platform/observations/samples/report.ts';
import type { Interval } from '../platform/observations/samples/timeline.ts';
import type { TimeSpan } from '../kernel/instants.ts';
import { firstDayAt, itemStateOf, SHOWN_DAY, SHOWN_DAYS } from '../watches/uptime/shown-state.ts';
import type { FirstRecorded, ItemStatus, StatusDay } from './model.ts';

/** What is known of an item as of an instant. */
export interface ItemFacts {
  readonly key: string;
  readonly name: string;
  /** Time of which something is known, in order, without overlaps. */
  readonly known: readonly Interval[];
  /** Planned work in the days that are shown: merged, in order. */
  readonly maintenance: readonly TimeSpan[];
  /** By the events of the log; null: nothing is known now. */
  readonly current: 'working' | 'failing' | null;
  readonly since: number | null;
  readonly recorded: FirstRecorded | null;
  /** The end of the planned work that is under way. */
  readonly maintenanceUntil: number | null;
}

export function itemStatus(
  { key, name, known, maintenance, current, since, recorded, maintenanceUntil }: ItemFacts,
  at: number,
): ItemStatus {
  const [from, to] = [firstDayAt(at), at];
  const totals = uptimeTotals(known, { from, to, now: at, offsetMinutes: 0, excluded: maintenance });
  const byDay = new Map(totals.days.map((day) => [day.at, day]));
  const days = Array.from({ length: SHOWN_DAYS }, (_, index): StatusDay => {
    const day = from + index * SHOWN_DAY;
    const {
      upMs = 0,
      downMs = 0,
      timeoutMs = 0,
      maintenanceMs = overlapOf(maintenance, { from: day, to: Math.min(day + SHOWN_DAY, at) }),
    } = byDay.get(day) ?? {};
    const length = Math.min(SHOWN_DAY, at - day);
    const unknownMs = Math.max(0, length - upMs - downMs - timeoutMs - maintenanceMs);
    return { at: day, upMs, downMs: downMs + timeoutMs, unknownMs, maintenanceMs };
  });
  const { upMs, downMs, timeoutMs } = totals.total;
  const state = itemStateOf({ current, isPlanned: maintenanceUntil !== null, lastKnown: known.at(-1)?.to ?? null, at });
  return {
    key,
    name,
    state,
    days,
    failures: failuresIn(known).filter((failure) => !isPlannedWork(failure, maintenance)),
    since: state === 'unknown' ? (known.at(-1)?.to ?? null) : since,
    recorded: state === 'failing' ? recorded : null,
    until: state === 'maintenance' ? maintenanceUntil : null,
    up: upMs + downMs + timeoutMs === 0 ? null : percentages(totals.total).up,
  };
}

const overlapOf = (spans: readonly TimeSpan[], within: TimeSpan): number =>
  spans.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, within.to) - Math.max(from, within.from)), 0);

/** What fails during planned work alone is no failure of the item. */
const isPlannedWork = (failure: TimeSpan, maintenance: readonly TimeSpan[]): boolean =>
  maintenance.some(({ from, to }) => from <= failure.from && failure.to <= to);

/** A failure that changes its kind continues. */
function failuresIn(known: readonly Interval[]): readonly TimeSpan[] {
  const failures: TimeSpan[] = [];
  for (const { from, to, state } of known) {
    if (state === 'up') continue;
    const last = failures.at(-1);
    if (last?.to === from) failures[failures.length - 1] = { from: last.from, to };
    else failures.push({ from, to });
  }
  return failures;
}

/** An incident is often published when the failure is over already. */
const SHORTLY_AFTER = 3_600_000;

/** The first failing measurement of the failures that an incident of this instant is about; null: there is none. */
export function firstFailingBefore(items: readonly Pick<ItemStatus, 'failures'>[], publishedAt: number): number | null {
  const begun = items.flatMap(({ failures }) =>
    failures.flatMap(({ from, to }) => (from <= publishedAt && to >= publishedAt - SHORTLY_AFTER ? [from] : [])),
  );
  return begun.length === 0 ? null : Math.min(...begun);
}

/** The state of an item of several parts: it fails while one of them fails, and is known while one of them is. */
export function worstOf(parts: readonly (readonly Interval[])[]): readonly Interval[] {
  if (parts.length === 1) return parts[0] ?? [];
  const edges = [...new Set(parts.flatMap((part) => part.flatMap(({ from, to }) => [from, to])))].sort((one, other) => one - other);
  const places = parts.map(() => 0);
  const result: Interval[] = [];
  edges.forEach((from, index) => {
    const to = edges[index + 1];
    if (to === undefined) return;
    const states = parts.flatMap((part, number) => {
      while ((part[places[number] ?? 0]?.to ?? Infinity) <= from) places[number] = (places[number] ?? 0) + 1;
      const interval = part[places[number] ?? 0];
      return interval !== undefined && interval.from <= from ? [interval.state] : [];
    });
    if (states.length === 0) return;
    const state = states.includes('down') ? 'down' : states.includes('timeout') ? 'timeout' : 'up';
    const last = result.at(-1);
    if (last?.to === from && last.state === state) result[result.length - 1] = { ...last, to };
    else result.push({ from, to, state });
  });
  return result;
}
