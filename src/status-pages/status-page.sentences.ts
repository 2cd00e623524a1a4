import { changed, type Sentences, shown } from '../kernel/sentence.ts';
import type { IncidentEvents } from './incident.events.ts';
import type { StatusPageEvents } from './status-page.events.ts';

export const statusPageSentences = {
  StatusPageCreated: ({ title, slug }) => `Status page ${shown(title)} created at /status/${slug}`,
  StatusPageChanged: ({ title, slug }) => `Status page ${shown(title)} at /status/${slug} changed`,
  StatusPageHostsSet: ({ hosts }) =>
    hosts.length === 0 ? 'Status page has no host of its own' : `Status page has the hosts ${hosts.join(', ')}`,
  StatusPageDeleted: ({ slug }) => `Status page at /status/${slug} deleted`,
} satisfies Sentences<StatusPageEvents>;

export const incidentSentences = {
  IncidentDrafted: ({ title }) => `Incident ${shown(title)} drafted`,
  IncidentDraftChanged: ({ title }) => `Draft of the incident ${shown(title)} changed`,
  IncidentDraftDiscarded: () => 'Draft of an incident discarded',
  IncidentPublished: ({ title, state }) => `Incident ${shown(title)} published as ${state}`,
  IncidentUpdated: ({ state, text }) => `Incident updated, ${state}: ${shown(text)}`,
  IncidentUpdateEdited: (data) => changed('An update of an incident', data),
} satisfies Sentences<IncidentEvents>;
