import { json, type Operation, type Operations, why } from '../description/operation.ts';
import { integer, list, number, record, ref, type Schema, text, word } from '../description/schema.ts';
import { success, UUID, uuid } from '../description/vocabulary.ts';

/** docs/spec/beyond.md#B7. */
export const projectionSchemas = {
  Projection: record(
    'What a read model is doing',
    {
      name: text('Name'),
      version: text('Version of its code'),
      state: word(['live', 'building', 'paused', 'failed'], 'What it does'),
      position: integer('Position that it has seen'),
      head: integer('Newest position of the log'),
      gap: integer('Events behind', { minimum: 0 }),
      lag: number('Seconds behind', { minimum: 0 }),
      rate: number('Events a second', { minimum: 0 }),
      parked: integer('Keys that wait for an operator', { minimum: 0 }),
    },
    {
      done: integer('Events seen, while it is filled'),
      total: integer('Events to see, while it is filled'),
      etaSeconds: integer('Seconds left, while it is filled'),
      error: text('Why it failed'),
    },
  ),
  ProjectionList: record('All read models', { projections: list(ref('Projection'), 'Each') }),
  ParkedKey: record('A key that an event stopped', {
    view: text('The read model'),
    key: text('The key'),
    scope: text('What it belongs to'),
    n: integer('Position of the event', { minimum: 0 }),
    eventId: uuid('The event'),
    type: text('Type of the event'),
    error: text('Why it could not be taken'),
    attempts: integer('Tries so far', { minimum: 0 }),
    parkedAt: text('Since when', { format: 'date-time' }),
    untold: integer('Events of the same project or account that nobody is told of meanwhile', { minimum: 0 }),
  }),
  ParkedList: record('What is parked', { parked: list(ref('ParkedKey'), 'In order of the log') }),
  Skip: record('Why', { reason: text('Stands in the record, for whoever asks later', { minLength: 1, maxLength: 1000 }) }),
} satisfies Readonly<Record<string, Schema>>;

const named = { name: text('Name of a projection', { examples: ['project'] }) };
const event = { ...named, eventId: uuid('The event') };
const unknown = { 404: why('There is no such projection') };
const nothing = { 404: why('There is no such projection, or the event is not parked in it') };
const ask = (id: string, summary: string, more: Partial<Operation> = {}): Operation => ({
  ...{ id, tag: 'Projections', summary, path: named },
  answer: json(ref('Success'), success),
  refusals: unknown,
  ...more,
});

const project = { name: 'project', version: '1', state: 'live', position: 4711, head: 4711, gap: 0, lag: 0, rate: 0, parked: 0 };
const parked = {
  ...{ view: 'project', key: 'a', scope: 'project-a', n: 12, eventId: UUID, type: 'ProjectRenamed', error: 'it has no title', attempts: 1 },
  parkedAt: '2023-03-23T12:53:20.000Z',
  untold: 0,
};

export const projectionOperations: Operations = {
  'GET /ops/projections': {
    ...{ id: 'listProjections', tag: 'Projections', summary: 'What the read models are doing' },
    answer: json(ref('ProjectionList'), { projections: [project] }),
  },
  'POST /ops/projections/:name/pause': ask('pauseProjection', 'Pause', {
    refusals: { ...unknown, 409: why('A core view cannot be paused') },
  }),
  'POST /ops/projections/:name/resume': ask('resumeProjection', 'Go on'),
  'POST /ops/projections/:name/rebuild': ask('rebuildProjection', 'Fill again, beside what is served'),
  'GET /ops/projections/:name/parked': ask('listParked', 'What is parked', { answer: json(ref('ParkedList'), { parked: [parked] }) }),
  'POST /ops/projections/:name/parked/:eventId/retry': ask('retryParked', 'Try a parked event again', { path: event, refusals: nothing }),
  'POST /ops/projections/:name/parked/:eventId/skip': ask('skipParked', 'Leave a parked event out, for good', {
    path: event,
    body: { schema: ref('Skip'), example: { reason: 'written by a bug that was mended since' } },
    refusals: nothing,
  }),
};
