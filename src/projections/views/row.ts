/** A row of a view as its table holds it. */
export interface StoredRow {
  readonly key: string;
  readonly scope: string;
  /** The last event that changed it. */
  readonly n: number;
  /** Null: taken away. */
  readonly row: object | null;
  readonly parked: boolean;
}

/** What stands in the way of a key: the first event that could not be folded. */
export interface Trouble {
  readonly view: string;
  readonly key: string;
  readonly scope: string;
  readonly n: number;
  readonly eventId: string;
  readonly type: string;
  readonly error: string;
}
