import { type Decider, ignoreUnknownEvent, type StreamTarget } from '../kernel/decider.ts';
import { DomainError, InvalidInput } from '../kernel/errors.ts';
import type { EventOf } from '../kernel/event.ts';
import type { AutomaticDraft, IncidentEvents } from './incident.events.ts';
import { type IncidentState, type IncidentWords, incidentsStream } from './status-page.settings.ts';

export type IncidentEvent = EventOf<IncidentEvents>;

type Incident =
  /** `automatic`: the item whose failure the service drafted it for; null: a person has written or changed it. */
  | { readonly kind: 'draft'; readonly words: IncidentWords; readonly automatic: string | null }
  /** `updates`: the newest wording of each, by id. */
  | {
      readonly kind: 'published';
      readonly state: IncidentState;
      readonly items: readonly string[];
      readonly updates: ReadonlyMap<string, string>;
      readonly edits: number;
      readonly automatic: string | null;
    };

/** By id, the oldest first. Of many resolved ones the newest stay. */
export type Incidents = ReadonlyMap<string, Incident>;

function evolve(incidents: Incidents, event: IncidentEvent): Incidents {
  switch (event.type) {
    case 'IncidentDrafted':
    case 'IncidentDraftChanged': {
      const { title, text, state, items } = event.data;
      const automatic = event.type === 'IncidentDrafted' ? (event.data.automatic?.item ?? null) : null;
      return bounded(new Map(incidents).set(event.data.incidentId, { kind: 'draft', words: { title, text, state, items }, automatic }));
    }
    case 'IncidentDraftDiscarded':
      return new Map([...incidents].filter(([id]) => id !== event.data.incidentId));
    case 'IncidentPublished': {
      const { incidentId, updateId, state, text, items } = event.data;
      const before = incidents.get(incidentId);
      const automatic = before?.kind === 'draft' ? before.automatic : null;
      const updates = new Map([[updateId, text]]);
      return bounded(new Map(incidents).set(incidentId, { kind: 'published', state, items, updates, edits: 0, automatic }));
    }
    case 'IncidentUpdated':
      return published(incidents, event.data.incidentId, (before) => ({
        ...before,
        state: event.data.state,
        updates: new Map(before.updates).set(event.data.updateId, event.data.text),
      }));
    case 'IncidentUpdateEdited':
      return published(incidents, event.data.incidentId, (before) => ({
        ...before,
        updates: new Map(before.updates).set(event.data.updateId, event.data.to),
        edits: before.edits + 1,
      }));
    default:
      return ignoreUnknownEvent(event, incidents);
  }
}

type Published = Extract<Incident, { kind: 'published' }>;

function published(incidents: Incidents, id: string, change: (before: Published) => Published): Incidents {
  const known = incidents.get(id);
  return known?.kind === 'published' ? new Map(incidents).set(id, change(known)) : incidents;
}

/** Resolved ones that can still be edited. */
export const KEPT_RESOLVED = 200;

const isResolved = (incident: Incident): boolean => incident.kind === 'published' && incident.state === 'resolved';

function bounded(incidents: Incidents): Incidents {
  const resolved = [...incidents].flatMap(([id, incident]) => (isResolved(incident) ? [id] : []));
  const dropped = new Set(resolved.slice(0, Math.max(0, resolved.length - KEPT_RESOLVED)));
  return dropped.size === 0 ? incidents : new Map([...incidents].filter(([id]) => !dropped.has(id)));
}

export class IncidentNotFound extends DomainError {
  readonly code = 'INCIDENT_NOT_FOUND';

  constructor(what: 'incident' | 'update' = 'incident') {
    super(`The ${what} was not found.`);
  }
}

export class TooManyIncidents extends DomainError {
  readonly code = 'TOO_MANY_INCIDENTS';
}

export class IncidentAlreadyPublished extends DomainError {
  readonly code = 'INCIDENT_PUBLISHED';

  constructor() {
    super('The incident is published already: what it said stays. Add an update, or edit one.');
  }
}

/** Drafts and incidents that are not resolved, of one page. */
export const MAX_OPEN_INCIDENTS = 50;
export const MAX_UPDATES = 100;
export const MAX_EDITS = 100;

function requireRoom(incidents: Incidents): void {
  if ([...incidents.values()].filter((incident) => !isResolved(incident)).length >= MAX_OPEN_INCIDENTS)
    throw new TooManyIncidents(
      `A status page may have at most ${String(MAX_OPEN_INCIDENTS)} open incidents and drafts. Resolve or discard one first.`,
    );
}

/** `itemsOfPage`: those that the incident may be about. */
function requireItems({ items }: IncidentWords, itemsOfPage: readonly string[]): void {
  const unknown = items.find((id) => !itemsOfPage.includes(id));
  if (unknown !== undefined) throw new InvalidInput(`items: "${unknown}" is no item of this page`);
}

export function draftIncident(
  incidents: Incidents,
  wanted: IncidentEvents['IncidentDrafted'],
  itemsOfPage: readonly string[],
): readonly IncidentEvent[] {
  if (incidents.has(wanted.incidentId)) return [];
  requireItems(wanted, itemsOfPage);
  requireRoom(incidents);
  return [{ type: 'IncidentDrafted', data: wanted }];
}

/** For an item that fails: nothing where an open incident or a draft is about it already. */
export function draftForItem(
  incidents: Incidents,
  wanted: IncidentEvents['IncidentDrafted'] & { readonly automatic: AutomaticDraft },
  itemsOfPage: readonly string[],
): readonly IncidentEvent[] {
  const { item } = wanted.automatic;
  const isKnown = [...incidents.values()].some((incident) => !isResolved(incident) && itemsOfIncident(incident).includes(item));
  return isKnown || !itemsOfPage.includes(item) ? [] : draftIncident(incidents, wanted, itemsOfPage);
}

const itemsOfIncident = (incident: Incident): readonly string[] => (incident.kind === 'draft' ? incident.words.items : incident.items);

/** The draft of the service, if no person has changed it, published or discarded since. */
export function publishAutomatic(incidents: Incidents, pageId: string, incidentId: string, updateId: string): readonly IncidentEvent[] {
  const incident = incidents.get(incidentId);
  return incident?.kind === 'draft' && incident.automatic !== null ? publishDraft(incidents, pageId, incidentId, updateId) : [];
}

/** The item works again: drafts of the service about it are discarded, and what it published is resolved where `text` says so. */
export function endAutomatic(
  incidents: Incidents,
  {
    pageId,
    item,
    updateId,
    text,
  }: { readonly pageId: string; readonly item: string; readonly updateId: string; readonly text: string | null },
): readonly IncidentEvent[] {
  return [...incidents].flatMap(([incidentId, incident]): readonly IncidentEvent[] => {
    if (incident.automatic !== item) return [];
    if (incident.kind === 'draft') return [{ type: 'IncidentDraftDiscarded', data: { pageId, incidentId } }];
    if (text === null || incident.state === 'resolved' || incident.updates.size >= MAX_UPDATES) return [];
    return [{ type: 'IncidentUpdated', data: { pageId, incidentId, updateId, state: 'resolved', text } }];
  });
}

export function changeDraft(
  incidents: Incidents,
  wanted: IncidentEvents['IncidentDraftChanged'],
  itemsOfPage: readonly string[],
): readonly IncidentEvent[] {
  const { words } = draftOf(incidents, wanted.incidentId);
  requireItems(wanted, itemsOfPage);
  return spelled(words) === spelled(wanted) ? [] : [{ type: 'IncidentDraftChanged', data: wanted }];
}

const spelled = ({ title, text, state, items }: IncidentWords): string => JSON.stringify([title, text, state, items]);

export function discardDraft(incidents: Incidents, pageId: string, incidentId: string): readonly IncidentEvent[] {
  draftOf(incidents, incidentId);
  return [{ type: 'IncidentDraftDiscarded', data: { pageId, incidentId } }];
}

export function publishDraft(incidents: Incidents, pageId: string, incidentId: string, updateId: string): readonly IncidentEvent[] {
  const { words } = draftOf(incidents, incidentId);
  return [{ type: 'IncidentPublished', data: { pageId, incidentId, updateId, ...words } }];
}

/** Without a draft before. */
export function openIncident(
  incidents: Incidents,
  wanted: IncidentEvents['IncidentPublished'],
  itemsOfPage: readonly string[],
): readonly IncidentEvent[] {
  if (incidents.has(wanted.incidentId)) return [];
  requireItems(wanted, itemsOfPage);
  requireRoom(incidents);
  return [{ type: 'IncidentPublished', data: wanted }];
}

/** Also after it was resolved: it may come back, and what was learnt later is said. */
export function updateIncident(incidents: Incidents, wanted: IncidentEvents['IncidentUpdated']): readonly IncidentEvent[] {
  const { updates } = publishedOf(incidents, wanted.incidentId);
  if (updates.has(wanted.updateId)) return [];
  if (updates.size >= MAX_UPDATES) throw new TooManyIncidents(`An incident may have at most ${String(MAX_UPDATES)} updates.`);
  return [{ type: 'IncidentUpdated', data: wanted }];
}

export function editUpdate(
  incidents: Incidents,
  { to, ...update }: { readonly pageId: string; readonly incidentId: string; readonly updateId: string; readonly to: string },
): readonly IncidentEvent[] {
  const { updates, edits } = publishedOf(incidents, update.incidentId);
  const from = updates.get(update.updateId);
  if (from === undefined) throw new IncidentNotFound('update');
  if (from === to) return [];
  if (edits >= MAX_EDITS)
    throw new TooManyIncidents(`The updates of an incident may be edited at most ${String(MAX_EDITS)} times. Add an update.`);
  return [{ type: 'IncidentUpdateEdited', data: { ...update, from, to } }];
}

function found(incidents: Incidents, id: string): Incident {
  const incident = incidents.get(id);
  if (incident === undefined) throw new IncidentNotFound();
  return incident;
}

function draftOf(incidents: Incidents, id: string): Extract<Incident, { kind: 'draft' }> {
  const incident = found(incidents, id);
  if (incident.kind !== 'draft') throw new IncidentAlreadyPublished();
  return incident;
}

export class IncidentNotPublished extends DomainError {
  readonly code = 'INCIDENT_NOT_PUBLISHED';

  constructor() {
    super('The incident is a draft: change the draft, or publish it first.');
  }
}

function publishedOf(incidents: Incidents, id: string): Published {
  const incident = found(incidents, id);
  if (incident.kind !== 'published') throw new IncidentNotPublished();
  return incident;
}

export const incidents: Decider<Incidents, IncidentEvent> = { initial: new Map(), evolve };

export const incidentsTarget = (pageId: string): StreamTarget<Incidents, IncidentEvent> => ({
  stream: incidentsStream(pageId),
  scope: 'system',
  decider: incidents,
});
