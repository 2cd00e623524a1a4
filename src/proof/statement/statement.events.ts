import type { EntriesOf } from '../../kernel/catalogue.ts';

/** They stand in a stream of their own per project. */
export interface StatementEvents {
  /** The statement of a closed month is kept from here on. */
  StatementIssued: {
    readonly projectId: string;
    readonly month: string;
    readonly offsetMinutes: number;
    /** From 1. */
    readonly edition: number;
    /** The event of the edition before; null: this is the first. */
    readonly supersedes: string | null;
    /** The hash of the document in its canonical form, in lower-case hex. */
    readonly sha256: string;
    /** SHA-256 over the ids of the events that it stands on: another one makes another edition. */
    readonly evidence: string;
  };
}

export const statementEvents = { StatementIssued: { version: 1 } } satisfies EntriesOf<StatementEvents>;
