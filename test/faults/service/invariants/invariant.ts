import type pg from 'pg';
import type { KeptNote } from '../../../../src/proof/seal/whole-log.ts';
import type { RequestedWrite } from '../acknowledged-writes.ts';

/** What was acknowledged to clients so far, and the database that must hold it. */
export interface ExpectedState {
  readonly pool: pg.Pool;
  /** Of the observations; the same where they are with the log. */
  readonly observationPool: pg.Pool;
  readonly url: string;
  readonly masterKey: string;
  /** By the id of their command. */
  readonly deeds: readonly Readonly<RequestedWrite>[];
  /** Accounts whose erasure was acknowledged. */
  readonly erased: readonly string[];
  /** Days that were to be closed. */
  readonly closed: readonly { readonly projectId: string; readonly day: string }[];
  /** Signed notes that a witness has kept. */
  readonly notes: readonly KeptNote[];
  readonly hasArrived: (messageId: string) => boolean;
}

/** The violations in words; empty when the invariant holds. */
export type Invariant = (promised: ExpectedState) => Promise<readonly string[]>;
