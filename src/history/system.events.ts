import type { EntriesOf } from '../kernel/catalogue.ts';

/** Operations on the log itself. Nothing is removed: a voided event stays, and folds skip it. */
export interface SystemEvents {
  EventVoided: { readonly n: number; readonly eventId: string; readonly reason: string };
  /** For one version of a team's projection only: all others, and every core view, take the event as before. */
  ProjectionEventSkipped: {
    readonly projection: string;
    readonly version: number;
    readonly n: number;
    readonly eventId: string;
    readonly reason: string;
  };
  LogTruncated: {
    readonly from: number;
    readonly to: number;
    readonly reason: string;
    /** The lost checkpoint, as a signed note, where only someone outside the database still had it. */
    readonly checkpoint?: string;
    /** The origin of later checkpoints. */
    readonly origin?: string;
    /** The newest known checkpoint of the origin before, as a signed note. */
    readonly lastCheckpoint?: string;
  };
  /** A signing key of the seal leaked: of checkpoints over more than `after` events its signatures prove nothing. */
  SealKeyDisowned: {
    /** The verifier key. */
    readonly key: string;
    readonly after: number;
    readonly reason: string;
  };
  /** An operator agreed with another party to witness each other's log, or one of the two. */
  WitnessPeerAdded: {
    /** Submission prefix of its witness. */
    readonly url: string;
    /** The verifier key under which it cosigns this log; null when it does not. */
    readonly witnessKey: string | null;
    /** The verifier keys of the log that is cosigned in turn. */
    readonly logKeys: readonly string[];
  };
  WitnessPeerRemoved: { readonly url: string };
}

export const systemEvents = {
  EventVoided: { version: 1 },
  ProjectionEventSkipped: { version: 1 },
  LogTruncated: { version: 1 },
  SealKeyDisowned: { version: 1 },
  WitnessPeerAdded: { version: 1 },
  WitnessPeerRemoved: { version: 1 },
} satisfies EntriesOf<SystemEvents>;
