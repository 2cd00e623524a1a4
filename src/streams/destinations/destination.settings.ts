import type { Sealed } from '../../kernel/event.ts';

/** A further kind is a word here, a file in `src/streams/destinations/kinds`, and a row in its table. */
export const destinationKinds = ['webhook'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

/** `requested`: by a person or program. `receiver gone`: it answered 410. `right lost`: who is responsible for it may not edit the project any more. */
export const pauseReasons = ['requested', 'receiver gone', 'right lost'] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** Which events are pushed. */
export interface DestinationFilter {
  /** Empty: all. */
  readonly types: readonly string[];
  /** Of the installation: events of these projects, accounts and of the system; null: all. Of a project: always null. */
  readonly scopes: readonly string[] | null;
}

export interface DestinationSettings {
  readonly kind: DestinationKind;
  readonly name: string;
  /** Scheme, host and port, in the clear; the rest of an address may hold a key. */
  readonly host: string;
  /** Address and keys. */
  readonly values: Readonly<Record<string, Sealed>>;
  readonly filter: DestinationFilter;
}
