/** A checkpoint of the seal that a receiver has. */
export interface CarriedSeal {
  readonly origin: string;
  readonly size: number;
}

/** What a batch says about the seal. */
export interface SealOfBatch {
  /** The size in the batch before, from which the proof leads; null: there is none, or the log continues under another origin. */
  readonly from: number | null;
  readonly to: number;
  /** Consistency proof of RFC 6962, hashes in base64; empty where `from` is `to`. */
  readonly path: readonly string[];
  /** A signed note over the first `to` events. */
  readonly checkpoint: string;
}

/** Port: how the seal grew since a checkpoint; null: nothing is sealed yet. */
export interface SealGrowth {
  since(before: CarriedSeal | null): Promise<{ readonly seal: SealOfBatch; readonly now: CarriedSeal } | null>;
}
