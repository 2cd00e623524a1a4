/**
 * What becomes of one append: `hang` never lands and is never answered, `lose reply` lands and is never answered, `refuse` fails at once without landing,
 * `refuse after landing` fails although it landed, `land late` is never answered and lands after the time.
 */
export type AppendFault = 'hang' | 'lose reply' | 'refuse' | 'refuse after landing' | { readonly landLateMs: number };

/** The switches of the double. A test sets them while it runs. */
export interface Faults {
  /** One is used up by each append, in order. */
  readonly appends: AppendFault[];
  /** Before each answer of an append, a read or an event of a subscription. */
  slowMs: number;
  /** Refuses every call, as a node without a leader or with unknown credentials does. */
  refusal: 'not ready' | 'unknown user' | null;
  /** Runs when a read of a stream or of everything came in, before it is answered. */
  beforeRead: () => Promise<void>;
}

export const noFaults = (): Faults => ({ appends: [], slowMs: 0, refusal: null, beforeRead: () => Promise.resolve() });
