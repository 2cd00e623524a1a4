import { textColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

/** The current state of a site by the events of the log. */
export interface UptimeRow {
  readonly state: 'unknown' | 'up' | 'down' | 'timeout';
  /** The start of the state; null while it is unknown. */
  readonly since: string | null;
  readonly suspectedSince: string | null;
  /** Start of a period of flapping, in which unconfirmed failures are counted instead of listed. */
  readonly unstableSince: string | null;
}

const nothingKnown: UptimeRow = { state: 'unknown', since: null, suspectedSince: null, unstableSince: null };

export const uptimeView = defineView<UptimeRow>()({
  name: 'uptime',
  version: 3,
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
  columns: {
    failing: textColumn(({ state }: UptimeRow) => (state === 'down' || state === 'timeout' ? 'failing' : null)),
    measured: textColumn(({ state }: UptimeRow) => (state === 'unknown' ? null : 'measured')),
  },
});
