import type { BackupHead } from './backup-head.ts';

export interface RestoreOrder {
  readonly url: string;
  readonly master: Uint8Array;
  readonly data: { readonly path: string; readonly head: BackupHead };
  readonly keys: { readonly path: string; readonly head: BackupHead };
  /** A signed note that somebody kept elsewhere, newer than the backup. */
  readonly checkpoint: string | null;
  /** Accounts that were erased after the keys were copied. */
  readonly erased: readonly number[];
  readonly signal: AbortSignal;
  /** Bytes read. */
  readonly progress: (bytes: number) => void;
}

export interface Restored {
  readonly events: number;
  readonly rows: Readonly<Record<string, number>>;
  /** What had been sealed behind the backup, and is declared lost. */
  readonly lost: Loss | null;
  /** Accounts whose erasure the service takes up again when it starts. */
  readonly erasing: readonly number[];
}

export interface Loss {
  /** How many events had been sealed, as far as is known. */
  readonly from: number;
  /** How many there are. */
  readonly to: number;
}
