import type { EntriesOf } from '../../kernel/catalogue.ts';

/** What an operator does to the record itself. Nothing is ever taken out of it: a voided event stays, and folds pass over it. */
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
  LogTruncated: { readonly from: number; readonly to: number; readonly reason: string };
}

export const systemEvents = {
  EventVoided: { version: 1 },
  ProjectionEventSkipped: { version: 1 },
  LogTruncated: { version: 1 },
} satisfies EntriesOf<SystemEvents>;
