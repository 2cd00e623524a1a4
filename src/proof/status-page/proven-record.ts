export const PROVEN_RECORD = 'watchledger-status-page-v1';

type IncidentState = 'investigating' | 'identified' | 'monitoring' | 'resolved';

export interface ProvenWording {
  readonly text: string;
  readonly at: string;
  /** Position of its event. */
  readonly n: number;
}

export interface ProvenIncident {
  readonly id: string;
  readonly title: string;
  readonly state: IncidentState;
  /** The newest first; wordings the oldest first. */
  readonly updates: readonly { readonly state: IncidentState; readonly wordings: readonly ProvenWording[] }[];
}

export interface ProvenPageEvent {
  readonly n: number;
  readonly recordedAt: string;
  readonly kind: string;
  readonly about: string | null;
  /** Key of the item that it is behind; null: an incident. */
  readonly item: string | null;
  readonly leafHash: string;
  /** The canonical event, which only an event of a published incident has. */
  readonly leaf?: string;
  readonly path: readonly string[];
}

/** A status page for those who check it: what it says, the events behind it, and their inclusion proofs to one signed checkpoint. */
export interface ProvenRecord {
  readonly format: typeof PROVEN_RECORD;
  readonly title: string;
  readonly slug: string;
  readonly at: string;
  readonly items: readonly {
    readonly key: string;
    readonly name: string;
    readonly state: 'working' | 'failing' | 'maintenance' | 'unknown';
    readonly since: string | null;
    readonly recordedAt: string | null;
    /** Position of the event of its failure. */
    readonly event: number | null;
  }[];
  readonly incidents: readonly ProvenIncident[];
  /** In the order of the log: the newest 300 of incidents, and 30 of each item. */
  readonly events: readonly ProvenPageEvent[];
  /** A signed note. */
  readonly checkpoint: string;
  /** As the installation names them: whether they are the right ones only their reader knows. */
  readonly keys: readonly string[];
}
