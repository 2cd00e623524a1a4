/** The first fault found; members that cannot be determined are absent. */
export interface Finding {
  readonly kind: 'changed' | 'removed' | 'inserted' | 'moved' | 'tile' | 'checkpoint' | 'head';
  readonly message: string;
  /** Position in the log. */
  readonly index?: number;
  /** The id of the event. */
  readonly event?: string;
  readonly stream?: string;
  readonly revision?: number;
  /** Line of the file, from 1. */
  readonly line?: number;
}
