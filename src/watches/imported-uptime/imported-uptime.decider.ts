import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { ImportedDays, ImportedUptimeEvents } from './imported-uptime.events.ts';
import { DAY_MS } from '../../kernel/time.ts';

export type ImportedUptimeEvent = EventOf<ImportedUptimeEvents>;

/** The state of a project's imported uptime; `current` is null while it has none. */
export interface ImportedUptime {
  readonly current: ImportedDays | null;
}

function evolve(state: ImportedUptime, event: ImportedUptimeEvent): ImportedUptime {
  switch (event.type) {
    case 'UptimeImported':
      return { current: event.data };
    case 'ImportedUptimeRemoved':
      return { current: null };
    default:
      return ignoreUnknownEvent(event, state);
  }
}

export function importUptime({ current }: ImportedUptime, wanted: ImportedDays, now: number): readonly ImportedUptimeEvent[] {
  const { from, up, down } = wanted;
  if (up.length !== down.length) throw new InvalidInput('down: must have as many days as up');
  if (Date.parse(from) + (up.length - 1) * DAY_MS > now) throw new InvalidInput('from: the last day must not lie in the future');
  return current !== null && isSameImport(current, wanted) ? [] : [{ type: 'UptimeImported', data: wanted }];
}

export const removeImportedUptime = ({ current }: ImportedUptime): readonly ImportedUptimeEvent[] =>
  current === null ? [] : [{ type: 'ImportedUptimeRemoved', data: { origin: current.origin } }];

/** Compares by value: members of a stored event may come in another order. */
const isSameImport = (one: ImportedDays, other: ImportedDays): boolean => spelledDays(one) === spelledDays(other);

const spelledDays = ({ origin, from, up, down }: ImportedDays): string => JSON.stringify([origin, from, up, down]);

export const importedUptime: Decider<ImportedUptime, ImportedUptimeEvent> = { initial: { current: null }, evolve };
