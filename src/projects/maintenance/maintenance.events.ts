import type { EntriesOf } from '../../kernel/catalogue.ts';

export const repeats = ['daily', 'weekly', 'monthly'] as const;
export type Repeat = (typeof repeats)[number];

/** They stand in the project's stream. */
export interface MaintenanceEvents {
  MaintenanceScheduled: {
    readonly windowId: string;
    readonly from: string;
    readonly to: string;
    readonly note: string;
    readonly repeat: Repeat | null;
    /** The offset of `from` as it was asked for, with which a monthly window finds its day. */
    readonly offsetMinutes: number;
  };
  /** A window that has begun ends here and keeps its past (before November 2026 only a repeating one); any other is removed. */
  MaintenanceCancelled: { readonly windowId: string; readonly at: string; readonly keepsPast: boolean };
}

export const maintenanceEvents = {
  MaintenanceScheduled: { version: 1 },
  MaintenanceCancelled: { version: 1 },
} satisfies EntriesOf<MaintenanceEvents>;
