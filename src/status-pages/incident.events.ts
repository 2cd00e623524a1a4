import type { EntriesOf } from '../kernel/catalogue.ts';
import type { IncidentState, IncidentWords } from './status-page.settings.ts';

/** Named by every event of an incident. */
export interface OfIncident {
  readonly pageId: string;
  readonly incidentId: string;
}

/** Drafted by the service: the item that failed, and the event that says so. */
export interface AutomaticDraft {
  readonly item: string;
  readonly event: string;
}

/** The incidents of one status page, in a stream of that page. Nothing of a draft is public. */
export interface IncidentEvents {
  IncidentDrafted: OfIncident &
    IncidentWords & {
      /** Null when a person drafted it. */
      readonly automatic: AutomaticDraft | null;
    };
  IncidentDraftChanged: OfIncident & IncidentWords;
  IncidentDraftDiscarded: OfIncident;
  /** Also of a draft: what it says from the beginning, as its first update. */
  IncidentPublished: OfIncident & IncidentWords & { readonly updateId: string };
  IncidentUpdated: OfIncident & { readonly updateId: string; readonly state: IncidentState; readonly text: string };
  /** The page shows both wordings. */
  IncidentUpdateEdited: OfIncident & { readonly updateId: string; readonly from: string; readonly to: string };
}

export const incidentEvents = {
  IncidentDrafted: { version: 1 },
  IncidentDraftChanged: { version: 1 },
  IncidentDraftDiscarded: { version: 1 },
  IncidentPublished: { version: 1 },
  IncidentUpdated: { version: 1 },
  IncidentUpdateEdited: { version: 1 },
} satisfies EntriesOf<IncidentEvents>;
