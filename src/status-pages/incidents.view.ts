import type { LogEventOf } from '../events.ts';
import type { IncidentState, IncidentWords } from './status-page.settings.ts';
import { defineView } from '../platform/read-models/authoring/define-view.ts';

/** A wording of an update. `n`: of the event that has it. */
export interface Wording {
  readonly text: string;
  readonly at: string;
  readonly n: number;
}

export interface IncidentUpdateRow {
  readonly updateId: string;
  readonly state: IncidentState;
  /** The oldest first; the last one counts. */
  readonly wordings: readonly Wording[];
}

export interface IncidentRow {
  readonly incidentId: string;
  readonly title: string;
  readonly items: readonly string[];
  /** Null while it is a draft. */
  readonly publishedAt: string | null;
  /** The words of a draft; null once it is published. */
  readonly draft: IncidentWords | null;
  readonly draftedAt: string;
  /** A draft of the service that no person has changed. */
  readonly isAutomatic: boolean;
  /** The oldest first; empty while it is a draft. */
  readonly updates: readonly IncidentUpdateRow[];
}

export interface IncidentsRow {
  /** The oldest first. */
  readonly incidents: readonly IncidentRow[];
}

/** Resolved ones beyond it are dropped, the oldest first: the row stays bounded, the events stay in the log. */
const KEPT = 250;

/** The event that published it; null: it is a draft. */
export const publishedN = ({ updates: [first] }: IncidentRow): number | null => first?.wordings[0]?.n ?? null;

export const stateOfIncident = ({ updates, draft }: IncidentRow): IncidentState => updates.at(-1)?.state ?? draft?.state ?? 'investigating';

function added(row: IncidentsRow | null, incident: IncidentRow): IncidentsRow {
  const others = (row?.incidents ?? []).filter(({ incidentId }) => incidentId !== incident.incidentId);
  const resolved = others.filter((one) => one.publishedAt !== null && stateOfIncident(one) === 'resolved');
  const dropped = new Set(resolved.slice(0, Math.max(0, resolved.length + 1 - KEPT)));
  return { incidents: [...others.filter((one) => !dropped.has(one)), incident] };
}

const changed = (row: IncidentsRow | null, incidentId: string, change: (before: IncidentRow) => IncidentRow): IncidentsRow | null =>
  row && { incidents: row.incidents.map((one) => (one.incidentId === incidentId ? change(one) : one)) };

const drafted = (row: IncidentsRow | null, { recordedAt, data }: LogEventOf<'IncidentDrafted' | 'IncidentDraftChanged'>): IncidentsRow => {
  const { incidentId, title, text, state, items } = data;
  const known = row?.incidents.find((one) => one.incidentId === incidentId);
  const draft: IncidentWords = { title, text, state, items };
  const isAutomatic = 'automatic' in data && data.automatic !== null;
  if (known !== undefined && row !== null)
    return { incidents: row.incidents.map((one) => (one === known ? { ...one, title, items, draft, isAutomatic } : one)) };
  return added(row, { incidentId, title, items, publishedAt: null, draft, draftedAt: recordedAt, isAutomatic, updates: [] });
};

/** The incidents of a status page, drafts among them. */
export const incidentsView = defineView<IncidentsRow>()({
  name: 'status_incidents',
  version: 2,
  scope: 'system',
  key: ({ data }) => data.pageId,
  on: {
    IncidentDrafted: drafted,
    IncidentDraftChanged: drafted,
    IncidentDraftDiscarded: (row, { data }) =>
      row && { incidents: row.incidents.filter(({ incidentId }) => incidentId !== data.incidentId) },
    IncidentPublished: (row, { n, recordedAt, data }) => {
      const { incidentId, updateId, title, text, state, items } = data;
      const draftedAt = row?.incidents.find((one) => one.incidentId === incidentId)?.draftedAt ?? recordedAt;
      const updates = [{ updateId, state, wordings: [{ text, at: recordedAt, n }] }];
      return added(row, { incidentId, title, items, publishedAt: recordedAt, draft: null, draftedAt, isAutomatic: false, updates });
    },
    IncidentUpdated: (row, { n, recordedAt, data: { incidentId, updateId, state, text } }) =>
      changed(row, incidentId, (before) => ({
        ...before,
        updates: [...before.updates, { updateId, state, wordings: [{ text, at: recordedAt, n }] }],
      })),
    IncidentUpdateEdited: (row, { n, recordedAt, data: { incidentId, updateId, to } }) =>
      changed(row, incidentId, (before) => ({
        ...before,
        updates: before.updates.map((update) =>
          update.updateId === updateId ? { ...update, wordings: [...update.wordings, { text: to, at: recordedAt, n }] } : update,
        ),
      })),
    StatusPageDeleted: () => null,
  },
});
