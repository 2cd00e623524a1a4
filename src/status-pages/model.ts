import type { ItemState } from '../watches/uptime/shown-state.ts';
import type { TimeSpan } from '../kernel/instants.ts';
import type { IncidentState, StatusColors, StatusPageAccess, StatusPageLanguage, StatusWords } from './status-page.settings.ts';

/** A UTC day of an item, in milliseconds. */
export interface StatusDay {
  /** Its beginning. */
  readonly at: number;
  readonly upMs: number;
  readonly downMs: number;
  readonly unknownMs: number;
  readonly maintenanceMs: number;
}

/** The event by which the service knows of a failure. */
export interface FirstRecorded {
  readonly n: number;
  /** When the log took it: from then on the page says so. */
  readonly at: number;
}

export interface ItemStatus {
  /** Stands in addresses of the page, because the id of what is watched is not public. */
  readonly key: string;
  readonly name: string;
  readonly state: ItemState;
  /** The beginning of the state, for a failure its first failing measurement; null when it is not known. */
  readonly since: number | null;
  /** Null unless the item fails. */
  readonly recorded: FirstRecorded | null;
  /** The end of the planned work that is under way. */
  readonly until: number | null;
  /** The days that are shown, the oldest first. */
  readonly days: readonly StatusDay[];
  /** Percent of the time that is known; null when none is. */
  readonly up: number | null;
  /** The failures in the days that are shown; the last one may continue. */
  readonly failures: readonly TimeSpan[];
}

export interface ShownWording {
  readonly text: string;
  readonly at: number;
  /** Position of its event in the log. */
  readonly n: number;
}

export interface ShownUpdate {
  readonly state: IncidentState;
  /** The oldest first; the last one counts. */
  readonly wordings: readonly ShownWording[];
}

export interface ShownIncident {
  readonly id: string;
  readonly title: string;
  readonly state: IncidentState;
  readonly publishedAt: number;
  /** The first failing measurement of what it is about; null: nothing of it failed. */
  readonly firstFailing: number | null;
  /** Names of the items. */
  readonly items: readonly string[];
  /** The newest first. */
  readonly updates: readonly ShownUpdate[];
}

export interface PlannedWork {
  readonly from: number;
  readonly to: number;
  /** Names of the items. */
  readonly items: readonly string[];
}

/** Everything that a status page says: its forms are pure functions of it. */
export interface StatusPageModel {
  readonly slug: string;
  readonly title: string;
  readonly access: StatusPageAccess;
  readonly languages: readonly StatusPageLanguage[];
  readonly words: StatusWords;
  readonly colors: StatusColors;
  /** "Now" on the page. */
  readonly at: number;
  /** True when it was requested as of an instant. */
  readonly isPast: boolean;
  /** The log position that it stands on. */
  readonly n: number;
  /** When its access last became wider: its first instant. */
  readonly openedAt: number;
  readonly groups: readonly { readonly name: string; readonly items: readonly ItemStatus[] }[];
  /** The incidents that are open or were published in the days that are shown, the newest first. */
  readonly incidents: readonly ShownIncident[];
  /** The planned work to come, the next first. */
  readonly planned: readonly PlannedWork[];
}

export const itemsOfPage = ({ groups }: Pick<StatusPageModel, 'groups'>): readonly ItemStatus[] => groups.flatMap(({ items }) => items);
