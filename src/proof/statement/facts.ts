import type { DaysEvents } from '../../watches/days/days.events.ts';
import type { CorrectionEvents } from '../../checker/corrections/correction.events.ts';
import type { MaintenanceEvents } from '../../projects/maintenance/maintenance.events.ts';
import type { ServiceObjective } from '../../projects/objectives/objective.settings.ts';
import type { UptimeEvents } from '../../watches/uptime/uptime.events.ts';
import type { SealedEvent } from '../../client/proofs/leaf.ts';
import { ByteReader } from '../../platform/observations/codec/byte-reader.ts';
import { readIntervals } from '../../platform/observations/codec/read-intervals.ts';
import { Sketch } from '../../platform/observations/response-times/sketch.ts';
import type { KnownState, StatedCorrection, StatedWindow } from './document.ts';
import type { Platform } from '../../client/verify/platform.ts';

const STATES: readonly KnownState[] = ['up', 'down', 'timeout'];

export interface KnownInterval {
  readonly from: number;
  readonly to: number;
  readonly state: KnownState;
}

export interface ClosedDayFacts {
  readonly event: string;
  readonly intervals: readonly KnownInterval[];
}

export type WindowFacts = Omit<StatedWindow, 'occurrences'>;

/** From `at` on a failure has this cause; null: the site is up again. */
export interface CauseChange {
  readonly at: number;
  readonly cause: string | null;
  readonly event: string;
}

export interface UnconfirmedFailure {
  readonly from: number;
  readonly to: number;
  readonly cause: string;
}

/** What the events of a statement say. */
export interface StatementFacts {
  readonly days: ReadonlyMap<string, ClosedDayFacts>;
  readonly sketches: ReadonlyMap<string, Sketch>;
  readonly causes: readonly CauseChange[];
  readonly unconfirmed: readonly UnconfirmedFailure[];
  readonly unlisted: readonly { readonly from: number; readonly to: number; readonly failures: number }[];
  readonly windows: readonly WindowFacts[];
  readonly corrections: readonly StatedCorrection[];
  readonly objectives: readonly { readonly recordedAt: string; readonly event: string; readonly set: ServiceObjective | null }[];
}

type Mutable = {
  -readonly [Name in keyof StatementFacts]: StatementFacts[Name] extends readonly (infer Item)[] ? Item[] : StatementFacts[Name];
};

/** Reads the events, in log order. Those of other types are ignored. */
export async function readFacts(events: readonly SealedEvent[], platform: Platform): Promise<StatementFacts> {
  const [days, sketches, windows] = [new Map<string, ClosedDayFacts>(), new Map<string, Sketch>(), new Map<string, WindowFacts>()];
  const facts: Mutable = { days, sketches, causes: [], unconfirmed: [], unlisted: [], windows: [], corrections: [], objectives: [] };
  for (const event of events) {
    const { id, type, recordedAt } = event;
    switch (type) {
      case 'UptimeDayClosed': {
        const { day, intervals } = dataOf<DaysEvents['UptimeDayClosed']>(event);
        const reader = await unpack(intervals, platform);
        days.set(day, { event: id, intervals: readIntervals(STATES, startOfUtcDay(day), reader) });
        break;
      }
      case 'ResponseTimesDayClosed': {
        const { day, sketch } = dataOf<DaysEvents['ResponseTimesDayClosed']>(event);
        sketches.set(day, Sketch.read(await unpack(sketch, platform)));
        break;
      }
      case 'MaintenanceScheduled':
        windows.set(...windowOf(event));
        break;
      case 'MaintenanceCancelled': {
        const { windowId, at, keepsPast } = dataOf<MaintenanceEvents['MaintenanceCancelled']>(event);
        const window = windows.get(windowId);
        if (window !== undefined && keepsPast) windows.set(windowId, { ...window, endedAt: at, endEvent: id });
        else windows.delete(windowId);
        break;
      }
      case 'CheckCorrected': {
        const { checkId, from, to, reason, runs, judged, changed } = dataOf<CorrectionEvents['CheckCorrected']>(event);
        facts.corrections.push({ event: id, checkId, from, to, reason, recordedAt, runs, judged, changed });
        break;
      }
      case 'ObjectiveSet':
        facts.objectives.push({ recordedAt, event: id, set: dataOf<ServiceObjective>(event) });
        break;
      case 'ObjectiveRemoved':
        facts.objectives.push({ recordedAt, event: id, set: null });
        break;
      default:
        readUptime(event, facts);
    }
  }
  facts.windows = [...windows.values()];
  facts.causes.sort((one, other) => one.at - other.at);
  return facts;
}

function readUptime(event: SealedEvent, { causes, unconfirmed, unlisted }: Mutable): void {
  switch (event.type) {
    case 'UptimeWentDown': {
      const { since, first, outcome } = dataOf<UptimeEvents['UptimeWentDown']>(event);
      causes.push({ at: Date.parse(since), cause: first.reason ?? outcome, event: event.id });
      return;
    }
    case 'UptimeFailureChanged': {
      const { since, to, evidence } = dataOf<UptimeEvents['UptimeFailureChanged']>(event);
      causes.push({ at: Date.parse(since), cause: evidence.reason ?? to, event: event.id });
      return;
    }
    case 'UptimeWentUp':
      causes.push({ at: Date.parse(dataOf<UptimeEvents['UptimeWentUp']>(event).since), cause: null, event: event.id });
      return;
    case 'UptimeSuspicionCleared': {
      const { since, outcome, evidence } = dataOf<UptimeEvents['UptimeSuspicionCleared']>(event);
      unconfirmed.push({ from: Date.parse(since), to: Date.parse(evidence.at), cause: `unconfirmed failure (${outcome})` });
      return;
    }
    case 'UptimeInstabilityCounted': {
      const { from, to, unconfirmed: failures } = dataOf<UptimeEvents['UptimeInstabilityCounted']>(event);
      unlisted.push({ from: Date.parse(from), to: Date.parse(to), failures });
    }
  }
}

/** The leaf is proven to be what the service wrote: its type says which data it has. */
const dataOf = <Data>(event: SealedEvent): Data => event.data as Data;

function windowOf(event: SealedEvent): [string, WindowFacts] {
  const { windowId, from, to, note, repeat, offsetMinutes } = dataOf<MaintenanceEvents['MaintenanceScheduled']>(event);
  const recorded = { endedAt: null, announcedAt: event.recordedAt, event: event.id, endEvent: null };
  return [windowId, { windowId, from, to, note, repeat, offsetMinutes, ...recorded }];
}

export const startOfUtcDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const DEFLATED = 1;

/** Reads what `deflatePack` writes: the first byte names the format. */
async function unpack(text: string, { fromBase64, inflate }: Platform): Promise<ByteReader> {
  const bytes = fromBase64(text);
  return new ByteReader(bytes[0] === DEFLATED ? await inflate(bytes.subarray(1)) : bytes.subarray(1));
}

/** The cause of a failure at an instant; null when the events know of none. */
export function causeAt({ causes }: Pick<StatementFacts, 'causes'>, at: number): { readonly cause: string; readonly event: string } | null {
  const last = causes.findLast((change) => change.at <= at);
  return last === undefined || last.cause === null ? null : { cause: last.cause, event: last.event };
}
