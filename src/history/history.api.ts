import { asText, json, jsonLines, may, type Operation, type Operations, why } from '../platform/http/description/operation.ts';
import { integer, list, named, openRecord, orNull, record, type Schema, text, word } from '../platform/http/description/schema.ts';
import { fromTo, ID, idPath, moment, nextCursor, uuidSchema } from '../platform/http/description/vocabulary.ts';
import { pagedList } from '../platform/http/lists/list.ts';
import { MAX_WAIT_SECONDS } from './feed/following.ts';

export const eventActor = record(
  'Actor that caused it',
  {
    kind: word(['user', 'token', 'service', 'checker', 'scheduler', 'reactor', 'cli'], 'Kind of actor'),
    id: text('Of a user the user id', { examples: ['7'] }),
    name: orNull(text('Null of an erased account', { examples: ['Ada'] })),
  },
  { tokenId: text('Token of the user') },
);

/** docs/spec/beyond.md#B2, #B4. */
export const eventSchema = named(
  'Event',
  record(
    'A recorded fact',
    {
      id: uuidSchema('The event'),
      position: text('Position in the whole log', { pattern: '^\\d+$', examples: ['4711'] }),
      scope: text('What it belongs to: `project-…`, `account-…` or `system`', { examples: [`project-${ID}`] }),
      stream: text('Stream of the event', { examples: [`project-${ID}`] }),
      revision: integer('Position in its stream', { minimum: 0, examples: [12] }),
      type: text('Type of the event', { examples: ['ProjectRenamed'] }),
      version: integer('Version of its data', { minimum: 1 }),
      recordedAt: moment('Time at which the log recorded it', '2023-03-23T12:53:20.123456Z'),
      occurredAt: moment('Time at which it occurred', '2023-03-23T12:53:20.120Z'),
      actor: eventActor,
      correlationId: uuidSchema('The first event of its chain'),
      causationId: orNull(text('The event that caused it; null at the root of a chain', { format: 'uuid' })),
      commandId: uuidSchema('The command that recorded it'),
      summary: text('One sentence for a person', { examples: ['The title was changed from "Shop" to "Example"'] }),
      data: { ...openRecord('Depends on the type; never contains a secret'), examples: [{ from: 'Shop', to: 'Example' }] },
    },
    {
      apply: record(
        'Of an apply of site files',
        { plan: text('The plan that was carried out'), files: list<string>({ type: 'string' }, 'Its files') },
        { commit: text('The commit of the files') },
      ),
    },
  ),
);

const eventPage = named(
  'EventPage',
  record(
    'A page of history',
    { events: list(eventSchema, 'In the requested order') },
    {
      nextCursor,
      deletedAt: moment('Of a deleted project, for auditors'),
      position: text('With `after`: the next `after`', { pattern: '^(-1|\\d+)$' }),
      head: text('With `after`: the last event of the log', { pattern: '^(-1|\\d+)$' }),
    },
  ),
);

const chain = named('Chain', record('The causes and consequences of an event', { events: list(eventSchema, 'In causal order') }));

export const repeatedTexts = (description: string): Schema =>
  list({ type: 'string', maxLength: 200 }, `${description}; may repeat`, { maxItems: 100 });

const historyList = (more: readonly string[]) =>
  pagedList(eventSchema, {
    name: 'history',
    member: 'events',
    sorts: ['-recordedAt'],
    defaultLimit: 100,
    hasOrder: true,
    otherParameters: ['from', 'to', 'type', 'actor', 'stream', 'order', 'format', ...more],
  });

const read: Operation = {
  id: 'getHistory',
  tag: 'History',
  summary: 'History of a project',
  description:
    'JSON comes in pages; with `after` they go on to events to come, as those of `GET /events`. CSV and JSON lines are streamed as a whole. The history of a deleted project is hidden from its members, not from auditors.',
  query: {
    ...fromTo,
    type: may(repeatedTexts('Only these types')),
    actor: may(repeatedTexts('Only events of these actors')),
    stream: may(text('Only of this stream', { maxLength: 200 })),
    order: may(text('Direction', { enum: ['asc', 'desc'], default: 'desc' })),
    format: may(text('Takes precedence over `Accept`', { enum: ['json', 'csv', 'jsonl', 'ndjson'] })),
  },
  list: historyList([]),
  answer: {
    ...json(eventPage),
    ...asText('text/csv', 'One row per event'),
    ...jsonLines(eventSchema, 'One line per event'),
  },
};

export const historyOperations: Operations = {
  'GET /project/:id/history': {
    ...read,
    path: idPath,
    query: {
      ...read.query,
      after: may(text('Follow the project: only events after this position, or `now`', { examples: ['4711'] })),
      wait: may(integer('With `after`: seconds to wait where there is no event yet', { minimum: 0, maximum: MAX_WAIT_SECONDS })),
    },
    list: historyList(['after', 'wait']),
  },
  'GET /history': { ...read, id: 'getWholeHistory', summary: 'History of the installation' },
  'GET /project/:id/history/:eventId/chain': {
    id: 'getChain',
    tag: 'History',
    summary: 'Causes and consequences of an event',
    path: { ...idPath, eventId: uuidSchema('The event') },
    answer: json(chain),
    refusals: { 404: why('The project has no such event') },
  },
};
