import type { EntriesOf } from '../kernel/catalogue.ts';
import type { StoredStatusPage } from './status-page.settings.ts';

/** The status pages of the installation: one stream, so that a slug is taken once. */
export interface StatusPageEvents {
  StatusPageCreated: StoredStatusPage & { readonly pageId: string };
  /** The settings after the change. */
  StatusPageChanged: StoredStatusPage & { readonly pageId: string };
  /** The host names at which it stands by itself; `hosts` replaces those before. */
  StatusPageHostsSet: { readonly pageId: string; readonly hosts: readonly string[] };
  StatusPageDeleted: { readonly pageId: string; readonly slug: string };
}

export const statusPageEvents = {
  StatusPageCreated: { version: 1 },
  StatusPageChanged: { version: 1 },
  StatusPageHostsSet: { version: 1 },
  StatusPageDeleted: { version: 1 },
} satisfies EntriesOf<StatusPageEvents>;
