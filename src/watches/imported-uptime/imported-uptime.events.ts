import type { EntriesOf } from '../../kernel/catalogue.ts';

/** What another product measured, as it counted: probes that were up or down, a UTC day each, without gaps. */
export interface ImportedDays {
  /** `imported:` and the kind of the product. */
  readonly origin: string;
  /** The first day, as `2026-03-01`. */
  readonly from: string;
  readonly up: readonly number[];
  readonly down: readonly number[];
}

/** They stand in the project's stream. */
export interface ImportedUptimeEvents {
  /** All of it: it replaces what was imported before. */
  UptimeImported: ImportedDays;
  ImportedUptimeRemoved: { readonly origin: string };
}

export const importedUptimeEvents = {
  UptimeImported: { version: 1 },
  ImportedUptimeRemoved: { version: 1 },
} satisfies EntriesOf<ImportedUptimeEvents>;
