import { filledText, trimmed } from '../../platform/http/validation/fields.ts';
import { Input, Required } from '../../platform/http/validation/input.ts';
import { json, type Operation, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { flag, integer, list, named, number, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { done, uuidSchema, nextCursor } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

@Input('Skip', 'The reason')
export class SkipDto {
  @Required(trimmed(filledText('Recorded in the log', 1000))) reason!: string;
}

/** docs/spec/beyond.md#B7. */
const projection = named(
  'Projection',
  record(
    'State of a projection',
    {
      name: text('Name', { examples: ['project'] }),
      version: text('Version of its code', { examples: ['1'] }),
      core: flag('One of the core views, which are rebuilt together and cannot be paused'),
      state: word(['live', 'building', 'paused', 'failed', 'stopped'], 'State; `stopped`: of a team, and no instance runs it'),
      position: integer('Position up to which it has processed the log', { examples: [4711] }),
      head: integer('Newest position of the log', { examples: [4711] }),
      gap: integer('Events behind the log', { minimum: 0 }),
      lag: number('Seconds behind the log', { minimum: 0 }),
      rate: number('Events a second', { minimum: 0 }),
      parked: integer('Parked keys, which wait for an operator', { minimum: 0 }),
    },
    {
      done: integer('Events processed, during a rebuild'),
      total: integer('Events to process, during a rebuild'),
      etaSeconds: integer('Seconds left, during a rebuild'),
      error: text('Why it failed, or is stopped'),
      process: record('Of a team whose process ended by itself', {
        ends: integer('How often it ended', { minimum: 1 }),
        endedAt: text('When it ended the last time', { format: 'date-time' }),
        reason: text('Why it did'),
      }),
    },
  ),
);
const projectionList = named(
  'ProjectionList',
  record('All projections', { projections: list(projection, 'Each projection') }, { nextCursor }),
);
export type ProjectionListAnswer = ValueOf<typeof projectionList>;

const projectionStates = shortList(projection, {
  name: 'projections',
  member: 'projections',
  key: 'name',
  sorts: ['name', 'parked'],
  search: ['name'],
  status: { words: ['live', 'building', 'paused', 'failed', 'stopped'], of: ({ state }) => state },
});

const parkedKey = named(
  'ParkedKey',
  record('A key that is parked because an event could not be processed (a dead letter)', {
    view: text('The projection', { examples: ['project'] }),
    key: text('The key', { examples: ['a'] }),
    scope: text('Scope of the key, such as its project', { examples: ['project-a'] }),
    n: integer('Position of the event', { minimum: 0, examples: [12] }),
    eventId: uuidSchema('The event'),
    type: text('Type of the event', { examples: ['ProjectRenamed'] }),
    error: text('Why the event could not be processed', { examples: ['it has no title'] }),
    attempts: integer('Attempts so far', { minimum: 0, examples: [1] }),
    parkedAt: text('Time since when it is parked', { format: 'date-time', examples: ['2023-03-23T12:53:20.000Z'] }),
    deadLetters: integer('Events of the same project or account for which no alert is sent meanwhile', { minimum: 0 }),
  }),
);
const parkedList = named('ParkedList', record('All parked keys', { parked: list(parkedKey, 'In the order of the log') }, { nextCursor }));
export type ParkedListAnswer = ValueOf<typeof parkedList>;

const path = { name: text('Name of a projection', { examples: ['project'] }) };
const event = { ...path, eventId: uuidSchema('The event') };
const unknown = { 404: why('The projection does not exist') };
const notParked = { 404: why('The projection does not exist, or the event is not parked in it') };
const about = (id: string, summary: string): Pick<Operation, 'id' | 'tag' | 'summary'> => ({ id, tag: 'Projections', summary });

export const projectionOperations: Operations = {
  'GET /ops/projections': {
    ...about('listProjections', 'List the state of all projections'),
    list: projectionStates,
    answer: json(projectionList),
  },
  'DELETE /ops/projections/:name': {
    ...about('removeProjection', "Remove a team's projection and its tables, whose package no instance runs any more"),
    path,
    answer: done,
    refusals: { ...unknown, 409: why('An instance runs it, or ran it within the last 30 s, or it is a core view') },
  },
  'POST /ops/projections/:name/pause': {
    ...about('pauseProjection', 'Pause a projection'),
    path,
    answer: done,
    refusals: { ...unknown, 409: why('A core view cannot be paused') },
  },
  'POST /ops/projections/:name/resume': {
    ...about('resumeProjection', 'Resume a projection'),
    path,
    answer: done,
    refusals: unknown,
  },
  'POST /ops/projections/:name/rebuild': {
    ...about('rebuildProjection', 'Rebuild a projection while the current one is served'),
    path,
    answer: done,
    refusals: unknown,
  },
  'GET /ops/projections/:name/parked': {
    ...about('listParked', 'List the parked keys of a projection'),
    list: shortList(parkedKey, {
      name: 'parked',
      member: 'parked',
      key: 'key',
      sorts: ['n', 'parkedAt', 'attempts'],
      search: ['scope', 'type', 'error'],
    }),
    path,
    answer: json(parkedList),
    refusals: unknown,
  },
  'POST /ops/projections/:name/parked/:eventId/retry': {
    ...about('retryParked', 'Retry a parked event'),
    path: event,
    answer: done,
    refusals: notParked,
  },
  'POST /ops/projections/:name/parked/:eventId/skip': {
    ...about('skipParked', 'Skip a parked event permanently'),
    body: takes(SkipDto, { reason: 'written by a bug that was fixed since' }),
    path: event,
    answer: done,
    refusals: notParked,
  },
};
