import type { EntriesOf } from '../../kernel/catalogue.ts';

/** What an operator does to the record itself. Nothing is ever taken out of it: a voided event stays, and folds pass over it. */
export interface SystemEvents {
  EventVoided: { readonly n: number; readonly eventId: string; readonly reason: string };
  LogTruncated: { readonly from: number; readonly to: number; readonly reason: string };
}

export const systemEvents = { EventVoided: { version: 1 }, LogTruncated: { version: 1 } } satisfies EntriesOf<SystemEvents>;
