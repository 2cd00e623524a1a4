import type { EventStore } from '../event-store.ts';

/** A store under test, and the ways to make its life hard. A store that cannot be troubled in one of them skips that part and says why. */
export interface ContractSubject {
  readonly store: EventStore;
  /** The next append may land, but its answer never arrives at the store's client. */
  loseNextReply?(): void | Promise<void>;
  /** Cuts every connection of the store; it must come back by itself. */
  dropConnections?(): void | Promise<void>;
  close(): Promise<void>;
}

export type ContractTest = (title: string, run: (store: EventStore, subject: ContractSubject) => Promise<void>) => void;
