import { defineView, scopeId } from '../../authoring/define-view.ts';

/** How a site stands, as the log knows it. */
export interface UptimeRow {
  readonly state: 'unknown' | 'up' | 'down' | 'timeout';
  /** Since when; null while nothing is known. */
  readonly since: string | null;
  readonly suspectedSince: string | null;
  /** Flaps so often that failures without confirmation are counted instead of listed. */
  readonly unstableSince: string | null;
}

const nothingKnown: UptimeRow = { state: 'unknown', since: null, suspectedSince: null, unstableSince: null };

export const uptimeView = defineView<UptimeRow>()({
  name: 'uptime',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    UptimeBegan: (row, { data }) => ({ ...(row ?? nothingKnown), state: 'up', since: data.since, suspectedSince: null }),
    UptimeSuspected: (row, { data }) => ({ ...(row ?? nothingKnown), suspectedSince: data.since }),
    UptimeSuspicionCleared: (row) => ({ ...(row ?? nothingKnown), suspectedSince: null }),
    UptimeWentDown: (row, { data }) => ({ ...(row ?? nothingKnown), state: data.outcome, since: data.since, suspectedSince: null }),
    UptimeFailureChanged: (row, { data }) => ({ ...(row ?? nothingKnown), state: data.to }),
    UptimeWentUp: (row, { data }) => ({ ...(row ?? nothingKnown), state: 'up', since: data.since }),
    UptimeInstabilityOpened: (row, { data }) => ({ ...(row ?? nothingKnown), suspectedSince: null, unstableSince: data.since }),
    UptimeInstabilityClosed: (row) => ({ ...(row ?? nothingKnown), unstableSince: null }),
    ProjectDeleted: () => null,
  },
});
