import { type Decider, ignoreUnknownEvent, type StreamTarget } from '../../kernel/decider.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { DestinationEvents } from './destination.events.ts';
import type { DestinationSettings, PauseReason } from './destination.settings.ts';

export type DestinationEvent = EventOf<DestinationEvents>;

export interface DestinationState extends DestinationSettings {
  readonly by: number;
  readonly isPaused: boolean;
}

/** The destinations of a project or of the installation, by id. */
export type Destinations = ReadonlyMap<string, DestinationState>;

export const noDestinations: Destinations = new Map();

export function evolveDestinations(destinations: Destinations, event: DestinationEvent): Destinations {
  switch (event.type) {
    case 'DestinationAdded': {
      const { kind, name, host, values, filter, by } = event.data;
      return new Map(destinations).set(event.data.destinationId, { kind, name, host, values, filter, by, isPaused: false });
    }
    case 'DestinationChanged': {
      const { kind, name, host, values, filter, by } = event.data;
      return changed(destinations, event.data.destinationId, { kind, name, host, values, filter, by });
    }
    case 'DestinationPaused':
      return changed(destinations, event.data.destinationId, { isPaused: true });
    case 'DestinationResumed':
      return changed(destinations, event.data.destinationId, { isPaused: false, by: event.data.by });
    case 'DestinationReplayed':
      return destinations;
    case 'DestinationRemoved':
      return new Map([...destinations].filter(([id]) => id !== event.data.destinationId));
    default:
      return ignoreUnknownEvent(event, destinations);
  }
}

function changed(destinations: Destinations, id: string, change: Partial<DestinationState>): Destinations {
  const known = destinations.get(id);
  return known === undefined ? destinations : new Map(destinations).set(id, { ...known, ...change });
}

export class DestinationNotFound extends DomainError {
  readonly code = 'DESTINATION_NOT_FOUND';

  constructor() {
    super('The destination was not found.');
  }
}

export class TooManyDestinations extends DomainError {
  readonly code = 'TOO_MANY_DESTINATIONS';

  constructor() {
    super(`There may be at most ${String(MAX_DESTINATIONS)} destinations. Remove one first.`);
  }
}

/** The limit of each project, and of the installation. */
export const MAX_DESTINATIONS = 10;

export function addDestination(destinations: Destinations, wanted: DestinationEvents['DestinationAdded']): readonly DestinationEvent[] {
  if (destinations.has(wanted.destinationId)) return [];
  if (destinations.size >= MAX_DESTINATIONS) throw new TooManyDestinations();
  return [{ type: 'DestinationAdded', data: wanted }];
}

/** The account that changes it is responsible for it from then on. */
export function changeDestination(
  destinations: Destinations,
  destinationId: string,
  by: number,
  change: (before: DestinationSettings) => DestinationSettings,
): readonly DestinationEvent[] {
  const { isPaused: _, by: before, ...settings } = required(destinations, destinationId);
  const wanted = change(settings);
  if (before === by && spelled(wanted) === spelled(settings)) return [];
  return [{ type: 'DestinationChanged', data: { ...wanted, destinationId, by } }];
}

/** By value: members of a stored event may come in another order. Sealing is deterministic. */
const spelled = ({ kind, name, host, values, filter: { types, scopes } }: DestinationSettings): string =>
  JSON.stringify([
    kind,
    name,
    host,
    Object.entries(values)
      .map(([field, { sealed }]) => [field, sealed])
      .toSorted(),
    types,
    scopes,
  ]);

export function pauseDestination(destinations: Destinations, destinationId: string, reason: PauseReason): readonly DestinationEvent[] {
  return required(destinations, destinationId).isPaused ? [] : [{ type: 'DestinationPaused', data: { destinationId, reason } }];
}

export function resumeDestination(destinations: Destinations, destinationId: string, by: number): readonly DestinationEvent[] {
  required(destinations, destinationId);
  return [{ type: 'DestinationResumed', data: { destinationId, by } }];
}

export function replayDestination(
  destinations: Destinations,
  replay: DestinationEvents['DestinationReplayed'],
): readonly DestinationEvent[] {
  required(destinations, replay.destinationId);
  return [{ type: 'DestinationReplayed', data: replay }];
}

export function removeDestination(destinations: Destinations, destinationId: string): readonly DestinationEvent[] {
  const { name } = required(destinations, destinationId);
  return [{ type: 'DestinationRemoved', data: { destinationId, name } }];
}

function required(destinations: Destinations, destinationId: string): DestinationState {
  const found = destinations.get(destinationId);
  if (found === undefined) throw new DestinationNotFound();
  return found;
}

export const destinations: Decider<Destinations, DestinationEvent> = { initial: noDestinations, evolve: evolveDestinations };

/** Those of the installation. */
export const installationTarget: StreamTarget<Destinations, DestinationEvent> = {
  stream: 'destinations',
  scope: 'system',
  decider: destinations,
};
