import type { Interval } from './invariants/interval.ts';

/** When the world was not well: what an invariant has to make allowance for. */
export class Troubles {
  /** Machines that stood still or were cut off, and times in which there was none at all. */
  readonly absences: Interval[] = [];
  /** When nobody could be told anything. */
  readonly silences: Interval[] = [];
  /** Groups that nobody could get on with. */
  readonly poisonings: (Interval & { readonly areaId: string })[] = [];
  /** Clocks that were wrong. */
  readonly steps: Interval[] = [];
}
