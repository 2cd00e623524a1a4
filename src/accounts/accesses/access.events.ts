import type { EntriesOf } from '../../kernel/catalogue.ts';

/** `read`: everything else that a system role may read. */
export type AccessKind = 'export' | 'statement' | 'evidence' | 'proof' | 'read';

/** What one token or session read of one kind on one day. */
export interface Access {
  /** Null for reads of all projects, or of none. */
  readonly projectId: string | null;
  readonly kind: AccessKind;
  /** A UTC day, `2026-11-20`. */
  readonly day: string;
  /** The id of the personal token or session; the actor of the event is its account. */
  readonly tokenId: string;
}

export interface AccessEvents {
  /** The first read of a day. */
  RecordAccessed: Access;
  /** After the end of a day with more than one read. */
  RecordAccessesCounted: Access & { readonly count: number; readonly firstAt: string; readonly lastAt: string };
}

export const accessEvents = { RecordAccessed: { version: 1 }, RecordAccessesCounted: { version: 1 } } satisfies EntriesOf<AccessEvents>;
