import type { LogEventOf } from '../../events.ts';
import type { DestinationSettings, PauseReason } from './destination.settings.ts';
import { defineView, INSTALLATION, scopeId } from '../../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Destinations } from './destination.decider.ts';

/** The last request to push events after a position again. */
export interface Replay {
  /** Position of the request in the log. */
  readonly n: number;
  readonly after: number;
}

export interface DestinationRow extends DestinationSettings {
  readonly destinationId: string;
  readonly after: number;
  readonly by: number;
  readonly addedAt: string;
  readonly paused: { readonly reason: PauseReason; readonly since: string } | null;
  /** Position of the last event after which what failed or is parked is tried again. */
  readonly retriedN: number;
  /** The last replay of each scope; `''` stands for all scopes. */
  readonly replays: Readonly<Record<string, Replay>>;
}

export interface DestinationsRow {
  /** In the order in which they were added. */
  readonly destinations: readonly DestinationRow[];
}

/** Bounds the row: older replays of single scopes, if they come while nothing is pushed, are dropped. */
const MOST_REPLAYS = 100;

const changed = (
  row: DestinationsRow | null,
  destinationId: string,
  change: (before: DestinationRow) => DestinationRow,
): DestinationsRow | null =>
  row && { destinations: row.destinations.map((one) => (one.destinationId === destinationId ? change(one) : one)) };

function withReplay(before: Readonly<Record<string, Replay>>, scope: string | null, replay: Replay): Readonly<Record<string, Replay>> {
  if (scope === null) return { '': replay };
  const others = Object.entries(before).filter(([of]) => of !== scope);
  const newest = others.filter(([of]) => of !== '').toSorted(([, one], [, other]) => other.n - one.n);
  return Object.fromEntries([...others.filter(([of]) => of === ''), ...newest.slice(0, MOST_REPLAYS - 1), [scope, replay]]);
}

const handlers = {
  DestinationAdded: (row: DestinationsRow | null, { n, data, recordedAt: addedAt }: LogEventOf<'DestinationAdded'>): DestinationsRow => ({
    destinations: [...(row?.destinations ?? []), { ...data, addedAt, paused: null, retriedN: n, replays: {} }],
  }),
  DestinationChanged: (row: DestinationsRow | null, { n, data }: LogEventOf<'DestinationChanged'>) =>
    changed(row, data.destinationId, (before) => ({ ...before, ...data, retriedN: n })),
  DestinationPaused: (row: DestinationsRow | null, { data, recordedAt: since }: LogEventOf<'DestinationPaused'>) =>
    changed(row, data.destinationId, (before) => ({ ...before, paused: { reason: data.reason, since } })),
  DestinationResumed: (row: DestinationsRow | null, { n, data }: LogEventOf<'DestinationResumed'>) =>
    changed(row, data.destinationId, (before) => ({ ...before, paused: null, by: data.by, retriedN: n })),
  DestinationReplayed: (row: DestinationsRow | null, { n, data }: LogEventOf<'DestinationReplayed'>) =>
    changed(row, data.destinationId, (before) => ({
      ...before,
      replays: withReplay(before.replays, data.scope, { n, after: data.after }),
    })),
  DestinationRemoved: (row: DestinationsRow | null, { data }: LogEventOf<'DestinationRemoved'>) => {
    const left = (row?.destinations ?? []).filter(({ destinationId }) => destinationId !== data.destinationId);
    return left.length === 0 ? null : { destinations: left };
  },
};

/** The destinations of a project; addresses and keys stay sealed. */
export const destinationView = defineView<DestinationsRow>()({
  name: 'destination',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: { ...handlers, ProjectDeleted: () => null },
});

/** The destinations of the installation. */
export const installationDestinationView = defineView<DestinationsRow>()({
  name: 'installation_destination',
  version: 1,
  scope: 'system',
  key: () => INSTALLATION,
  on: handlers,
});

/** Addresses and secrets are sealed. */
export const destinationTag = (destinationId: string, { kind, name, host, values, filter }: DestinationSettings): string =>
  settingsTag('destination', destinationId, { kind, name, host, values, filter });

export function destinationTagIn(destinationId: string, destinations: Destinations): string | null {
  const destination = destinations.get(destinationId);
  return destination === undefined ? null : destinationTag(destinationId, destination);
}

/** Without a project it is one of the installation. */
export const destinationThing: Thing = {
  name: 'destination',
  row: ({ projectId, destinationId }) => {
    const tag = (row: DestinationsRow | null): string | null => {
      const destination = row?.destinations.find((one) => one.destinationId === destinationId);
      return destination === undefined ? null : destinationTag(destinationId, destination);
    };
    return projectId === '' ? thingRow(installationDestinationView, INSTALLATION, tag) : thingRow(destinationView, projectId, tag);
  },
};
