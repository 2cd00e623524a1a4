import { asText, json, jsonLines, may, type Operation, type Operations, why } from '../description/operation.ts';
import { integer, list, openRecord, orNull, record, ref, type Schema, text, word } from '../description/schema.ts';
import { fromTo, ID, idPath, nextCursor, pageOf, UUID, uuid } from '../description/vocabulary.ts';

const moment = (description: string): Schema => text(description, { format: 'date-time' });

/** docs/spec/beyond.md#B2 and #B4. */
export const historySchemas = {
  Event: record('Something that happened, or that was concluded', {
    id: uuid('The event'),
    position: text('Place in the whole log', { pattern: '^\\d+$' }),
    stream: text('What it happened to', { examples: [`project-${ID}`] }),
    revision: integer('Place in its stream', { minimum: 0 }),
    type: text('What happened', { examples: ['TestCreated'] }),
    version: integer('Version of its shape', { minimum: 1 }),
    recordedAt: moment('When the log took it'),
    occurredAt: moment('When it happened'),
    actor: record(
      'Who did it',
      {
        kind: word(['user', 'token', 'checker', 'scheduler', 'reactor', 'cli'], 'What it is'),
        id: text('Of a user the user id'),
        name: orNull(text('Null of an erased account')),
      },
      { tokenId: text('Which token of the user') },
    ),
    correlationId: uuid('The first event of its chain'),
    causationId: orNull(uuid('What led to it; null at a root')),
    commandId: uuid('The command that made it'),
    summary: text('One sentence that a person understands'),
    data: openRecord('Depends on the type; never a secret'),
  }),
  EventPage: record(
    'A page of history',
    { events: list(ref('Event'), 'In the order asked for'), nextCursor },
    { deletedAt: moment('Of a deleted project, for auditors') },
  ),
  Chain: record('Everything that led to an event and followed from it', { events: list(ref('Event'), 'In causal order') }),
} satisfies Readonly<Record<string, Schema>>;

const event = {
  ...{ id: UUID, position: '4711', stream: `project-${ID}`, revision: 12, type: 'ProjectRenamed', version: 1 },
  ...{ recordedAt: '2023-03-23T12:53:20.123456Z', occurredAt: '2023-03-23T12:53:20.120Z' },
  ...{ actor: { kind: 'user', id: '7', name: 'Ada' }, correlationId: UUID, causationId: null, commandId: UUID },
  ...{ summary: 'The title was changed from "Shop" to "Example"', data: { from: 'Shop', to: 'Example' } },
};
const texts = (description: string): Schema => list({ type: 'string', maxLength: 200 }, `${description}; may repeat`, { maxItems: 100 });

const read: Operation = {
  id: 'getHistory',
  tag: 'History',
  summary: 'What happened to a project',
  description:
    'Pages of JSON; as CSV or a line an event it is streamed whole. Deleting a project hides it from its members, not from auditors.',
  query: {
    ...fromTo,
    ...{
      type: may(texts('Only these types')),
      actor: may(texts('Only what these did')),
      stream: may(text('Only of this stream', { maxLength: 200 })),
    },
    order: may(text('Direction', { enum: ['asc', 'desc'], default: 'desc' })),
    ...pageOf(),
    format: may(text('Instead of `Accept`', { enum: ['json', 'csv', 'jsonl', 'ndjson'] })),
  },
  answer: {
    ...json(ref('EventPage'), { events: [event], nextCursor: null }),
    ...asText('text/csv', 'A row an event'),
    ...jsonLines(ref('Event'), 'A line an event'),
  },
};

export const historyOperations: Operations = {
  'GET /project/:id/history': { ...read, path: idPath },
  'GET /history': { ...read, id: 'getWholeHistory', summary: 'What happened everywhere' },
  'GET /project/:id/history/:eventId/chain': {
    ...{ id: 'getChain', tag: 'History', summary: 'Why something happened, and what came of it' },
    path: { ...idPath, eventId: uuid('The event') },
    answer: json(ref('Chain'), { events: [event] }),
    refusals: { 404: why('There is no such event in the project') },
  },
};
