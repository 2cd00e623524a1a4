import type { Sealed } from '../../kernel/event.ts';

/** A further kind is a word here, a file in `src/streams/destinations/kinds`, and a row in its table. */
export const destinationKinds = ['webhook'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

/** `requested`: by a person or program. `receiver gone`: it answered 410. `right lost`: the responsible account may not edit the project any more. */
export const pauseReasons = ['requested', 'receiver gone', 'right lost'] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** Which events are pushed. */
export interface DestinationFilter {
  /** All when empty. */
  readonly types: readonly string[];
  /** The projects, accounts and the system whose events a destination of the installation pushes; null for all, and for a destination of a project. */
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
