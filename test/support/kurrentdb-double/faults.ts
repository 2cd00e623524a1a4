/**
 * The fate of one append: `hang` is neither stored nor answered, `lose reply` is stored but not answered, `refuse` fails without being stored,
 * `refuse after landing` fails although it is stored, `landLateMs` is not answered and stored after that time.
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
