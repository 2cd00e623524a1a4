import { incidentStates } from './status-page.settings.ts';
import { exampleOf } from '../platform/http/description/example.ts';
import { json, type Operations, takes, why } from '../platform/http/description/operation.ts';
import { flag, integer, list, named, orNull, record, text, type ValueOf, word } from '../platform/http/description/schema.ts';
import { done, instant, objectIdSchema, OTHER_ID } from '../platform/http/description/vocabulary.ts';
import { answersOf } from '../platform/http/validation/input.ts';
import { shortList } from '../platform/http/lists/list.ts';
import {
  IncidentDraftDto,
  IncidentUpdateEditDto,
  NewIncidentDto,
  NewIncidentUpdateDto,
  StatusColorsInput,
  StatusPageDto,
  StatusPageHostsDto,
} from './status-page.dto.ts';

const target = (what: string) => objectIdSchema(`The ${what} that it shows`);

const itemSchema = record(
  'What is watched; one of project, group and check',
  { name: text('Name for outsiders', { examples: ['Shop'] }) },
  { project: target('project'), group: target('group'), check: target('check') },
);

const statusPageSchema = named(
  'StatusPage',
  record('A status page', {
    id: objectIdSchema('The page'),
    ...answersOf(StatusPageDto, 'slug', 'title', 'access', 'languages', 'words'),
    colors: record('The colour of links', answersOf(StatusColorsInput)),
    url: text('Its address, on the first of its hosts', { examples: ['https://watch.example.com/status/example'] }),
    hosts: list(text('A host name', { examples: ['status.example.com'] }), 'Host names that answer with this page alone', {
      examples: [[]],
    }),
    hasPassword: flag('Whether it has a password', { examples: [false] }),
    groups: list(
      record('Items under a heading', { name: text('Heading', { examples: [''] }), items: list(itemSchema, 'Items') }),
      'Groups of items',
    ),
    automatic: record('What the service does by itself when an item fails', {
      draft: flag('Draft an incident'),
      publishAfterMinutes: orNull(integer('Publish the draft of a failure that has lasted so many minutes; null: people publish')),
      resolve: flag('Resolve what it drafted when the item has recovered', { examples: [false] }),
    }),
    createdAt: instant('Time of its creation'),
    changedAt: instant('Time of its last change'),
  }),
);
export type StatusPageAnswer = ValueOf<typeof statusPageSchema>;

const updateSchema = record('An update', {
  id: objectIdSchema('The update', OTHER_ID),
  state: word(incidentStates, 'State from then on'),
  text: text('What it says now', { examples: ['We are looking into it.'] }),
  at: instant('When it was published'),
  edits: list(
    record('A wording before', { text: text('What it said'), until: instant('Until when') }),
    'Wordings before, the oldest first',
    { examples: [[]] },
  ),
});

const incidentSchema = named(
  'Incident',
  record('An incident of a status page', {
    id: objectIdSchema('The incident'),
    title: text('Title', { examples: ['Payments cannot be completed'] }),
    state: word(incidentStates, 'Its state now'),
    draft: flag('Whether it is still a draft, which outsiders do not see', { examples: [false] }),
    automatic: flag('Whether it is a draft of the service that no person has changed', { examples: [false] }),
    text: orNull(text('Of a draft: what it will say')),
    items: list(text('Id of an item of the page', { examples: [OTHER_ID] }), 'What it is about'),
    draftedAt: instant('When it was drafted or published'),
    publishedAt: orNull(instant('When it was published; null: it is a draft')),
    updates: list(updateSchema, 'What was published, the oldest first'),
  }),
);
export type IncidentAnswer = ValueOf<typeof incidentSchema>;

const example = exampleOf(statusPageSchema, { groups: [{ name: '', items: [{ name: 'Shop', project: OTHER_ID }] }] });
const wanted = { slug: example.slug, title: example.title, languages: example.languages, groups: example.groups };

const newIncident = { title: 'Payments cannot be completed', text: 'We are looking into it.', state: 'investigating', items: [OTHER_ID] };

const path = { id: objectIdSchema('The status page') };
const incidentPath = { ...path, incidentId: objectIdSchema('The incident') };
const unknown = { 404: why('There is no such status page, or the caller may not edit all that it shows') };
const tag = 'StatusPages';

const pages = shortList(statusPageSchema, {
  name: 'status-pages',
  key: 'id',
  sorts: ['createdAt', 'slug', 'title'],
  search: ['slug', 'title'],
});
const incidents = shortList(incidentSchema, {
  name: 'incidents',
  key: 'id',
  sorts: ['draftedAt', 'title'],
  search: ['title'],
  status: { words: ['draft', ...incidentStates], of: ({ draft, state }) => (draft ? 'draft' : state) },
});

/** docs/spec/beyond.md#B14. */
export const statusPageOperations: Operations = {
  'GET /status-pages': {
    id: 'listStatusPages',
    tag,
    summary: 'List the status pages that the caller may edit',
    list: pages,
    answer: json(list(statusPageSchema, 'Status pages'), [example]),
  },
  'POST /status-pages': {
    id: 'createStatusPage',
    tag,
    summary: 'Create a status page',
    description: 'The caller needs the right `edit` in every project that the page shows.',
    body: takes(StatusPageDto, wanted),
    answer: json(statusPageSchema, { groups: example.groups }),
    refusals: { 409: why('The slug is taken, or there are as many pages as there may be') },
  },
  'GET /status-pages/:id': {
    id: 'getStatusPage',
    tag,
    summary: 'Read a status page',
    path,
    answer: json(statusPageSchema, { groups: example.groups }),
    refusals: unknown,
  },
  'PUT /status-pages/:id': {
    id: 'replaceStatusPage',
    tag,
    summary: 'Replace a status page',
    path,
    description: 'A password that is missing stays.',
    body: takes(StatusPageDto, wanted),
    answer: json(statusPageSchema, { groups: example.groups }),
    refusals: { ...unknown, 409: why('The slug is taken') },
  },
  'PUT /status-pages/:id/hosts': {
    id: 'setStatusPageHosts',
    tag,
    summary: 'Give a status page host names of its own',
    path,
    description:
      'Requests to these hosts are answered by the page at `/`, and by nothing else of the service. By administrators: a host name belongs to the installation.',
    body: takes(StatusPageHostsDto, { hosts: ['status.example.com'] }),
    answer: json(record('The hosts', { hosts: list(text('A host name', { examples: ['status.example.com'] }), 'Those that it has now') })),
    refusals: { 404: why('There is no such status page'), 409: why('Another page has one of them') },
  },
  'DELETE /status-pages/:id': {
    id: 'deleteStatusPage',
    tag,
    summary: 'Delete a status page',
    path,
    description: 'The right `edit` in one of its projects is enough.',
    answer: done,
    refusals: unknown,
  },
  'GET /status-pages/:id/incidents': {
    id: 'listIncidents',
    tag,
    summary: 'List the incidents of a status page, drafts among them',
    path,
    list: incidents,
    answer: json(list(incidentSchema, 'Incidents')),
    refusals: unknown,
  },
  'POST /status-pages/:id/incidents': {
    id: 'openIncident',
    tag,
    summary: 'Publish an incident, or draft one',
    path,
    body: takes(NewIncidentDto, newIncident),
    answer: json(incidentSchema),
    refusals: { ...unknown, 409: why('There are as many open incidents as there may be') },
  },
  'PUT /status-pages/:id/incidents/:incidentId': {
    id: 'replaceIncidentDraft',
    tag,
    summary: 'Replace the draft of an incident',
    path: incidentPath,
    body: takes(IncidentDraftDto, newIncident),
    answer: json(incidentSchema),
    refusals: { ...unknown, 409: why('It is published') },
  },
  'DELETE /status-pages/:id/incidents/:incidentId': {
    id: 'discardIncidentDraft',
    tag,
    summary: 'Discard the draft of an incident',
    path: incidentPath,
    answer: done,
    refusals: { ...unknown, 409: why('It is published: what was said in public stays') },
  },
  'POST /status-pages/:id/incidents/:incidentId/publish': {
    id: 'publishIncident',
    tag,
    summary: 'Publish the draft of an incident',
    path: incidentPath,
    answer: json(incidentSchema),
    refusals: { ...unknown, 409: why('It is published') },
  },
  'POST /status-pages/:id/incidents/:incidentId/updates': {
    id: 'updateIncident',
    tag,
    summary: 'Add an update to an incident',
    path: incidentPath,
    body: takes(NewIncidentUpdateDto, { text: 'We have found the cause.', state: 'identified' }),
    answer: json(incidentSchema),
    refusals: { ...unknown, 409: why('It is a draft, or has as many updates as it may have') },
  },
  'PUT /status-pages/:id/incidents/:incidentId/updates/:updateId': {
    id: 'editIncidentUpdate',
    tag,
    summary: 'Edit an update; the page shows both wordings',
    path: { ...incidentPath, updateId: objectIdSchema('The update') },
    body: takes(IncidentUpdateEditDto, { text: 'We are looking into it. No orders are lost.' }),
    answer: json(incidentSchema),
    refusals: { ...unknown, 409: why('It is a draft, or was edited as often as it may be') },
  },
};
