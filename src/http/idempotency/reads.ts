import type { AppendPosition } from '../../event-store/event-store.ts';

/** When what was written can be read, by anybody, through any instance. */
export interface Reads {
  /** Resolves once every read shows what was appended at the place; rejects with `ReadsBehind` when that takes too long. */
  show(place: AppendPosition): Promise<void>;
}

/** Injection token. */
export const READS = Symbol('Reads');
