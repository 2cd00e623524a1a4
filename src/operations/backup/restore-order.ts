import type { ObservationSchemas } from '../../platform/observations/schemas.ts';
import type { BackupHead } from './backup-head.ts';

export interface RestoreOrder {
  readonly url: string;
  /** The database of the observations, where they have one of their own. */
  readonly observationsUrl: string | undefined;
  /** The schemas of that database; the backup may be of another number of them. */
  readonly schemas?: ObservationSchemas;
  readonly master: Uint8Array;
  readonly data: { readonly path: string; readonly head: BackupHead };
  readonly keys: { readonly path: string; readonly head: BackupHead };
  /** A checkpoint (signed note) from outside, such as from a witness, newer than the backup. */
  readonly checkpoint: string | null;
  /** The note in the `last-checkpoint.json` of the data folder, ignored when another log signed it. */
  readonly lastCheckpoint: string | null;
  /** Accounts that were erased after the keys were copied. */
  readonly erased: readonly number[];
  readonly signal: AbortSignal;
  /** Called with the number of bytes read so far. */
  readonly progress: (bytes: number) => void;
}

export interface Restored {
  readonly events: number;
  readonly rows: Readonly<Record<string, number>>;
  /** Sealed events after the backup, which were declared lost. */
  readonly lost: Loss | null;
  /** Accounts whose erasure the service completes when it starts. */
  readonly erasing: readonly number[];
}

export interface Loss {
  /** Number of events under the furthest known checkpoint. */
  readonly from: number;
  /** Number of restored events that it covers. */
  readonly to: number;
}
