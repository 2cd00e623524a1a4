import { json, type Operation, type Operations, why } from '../../platform/http/description/operation.ts';
import { integer, list, named, number, record, text, type ValueOf, word, orNull } from '../../platform/http/description/schema.ts';
import { CONSUMER_STATES } from '../../platform/consumers/consumer-admin.ts';
import { done, nextCursor, uuidSchema } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

/** docs/spec/beyond.md#B31. */
const consumer = named(
  'Consumer',
  record(
    'State of a consumer of the log: a process manager of the service, or a reactor of a team',
    {
      name: text('Name', { examples: ['alerts'] }),
      about: text('What it does', { examples: ['alerts and notices to people'] }),
      package: orNull(text('The package of a reactor; null: it is part of the service', { examples: ['./examples/incident-channel'] })),
      state: word(CONSUMER_STATES, 'State; `stopped`: no instance has run it for 30 s'),
      position: integer('Position up to which it has handled the log', { examples: [4711] }),
      head: integer('Newest position of the log', { examples: [4711] }),
      gap: integer('Events behind the log', { minimum: 0 }),
      lag: number('Seconds behind the log', { minimum: 0 }),
      parked: integer('Parked projects and accounts', { minimum: 0 }),
    },
    { error: text('Why it failed or stopped') },
  ),
);
const consumerList = named('ConsumerList', record('All consumers', { consumers: list(consumer, 'Each consumer') }, { nextCursor }));
export type ConsumerListAnswer = ValueOf<typeof consumerList>;

const parkedPartition = named(
  'ParkedPartition',
  record('A project or account whose events wait behind one that the consumer could not handle (a dead letter)', {
    scope: text('The project or account', { examples: ['project-a'] }),
    n: integer('Position of the event', { minimum: 0, examples: [12] }),
    eventId: uuidSchema('The event'),
    type: text('Type of the event', { examples: ['CheckFailed'] }),
    error: text('Why the event could not be handled', { examples: ['EffectFailed: POST hooks.example: answered with 500'] }),
    attempts: integer('Attempts so far', { minimum: 0, examples: [3] }),
    parkedAt: text('Time since when it is parked', { format: 'date-time', examples: ['2023-03-23T12:53:20.000Z'] }),
    retryAt: orNull(
      text('Time of the next attempt; null: when it is asked for', { format: 'date-time', examples: ['2023-03-23T12:53:36.000Z'] }),
    ),
  }),
);
const parkedPartitions = named(
  'ParkedPartitionList',
  record('All parked projects and accounts', { parked: list(parkedPartition, 'In the order of the log') }, { nextCursor }),
);
export type ParkedPartitionsAnswer = ValueOf<typeof parkedPartitions>;

const path = { name: text('Name of a consumer', { examples: ['alerts'] }) };
const event = { ...path, eventId: uuidSchema('The event') };
const unknown = { 404: why('The consumer does not exist') };
const notParked = { 404: why('The consumer does not exist, or the event is not parked in it') };
const about = (id: string, summary: string): Pick<Operation, 'id' | 'tag' | 'summary'> => ({ id, tag: 'Projections', summary });

export const consumerOperations: Operations = {
  'GET /ops/consumers': {
    ...about('listConsumers', 'List the state of all consumers of the log'),
    list: shortList(consumer, {
      name: 'consumers',
      member: 'consumers',
      key: 'name',
      sorts: ['name', 'parked'],
      search: ['name', 'about'],
      status: { words: CONSUMER_STATES, of: ({ state }) => state },
    }),
    answer: json(consumerList),
  },
  'DELETE /ops/consumers/:name': {
    ...about('removeConsumer', 'Remove a reactor whose package no instance runs any more'),
    path,
    answer: done,
    refusals: { ...unknown, 409: why('It is part of the service, or an instance runs it, or ran it within the last 30 s') },
  },
  'POST /ops/consumers/:name/pause': { ...about('pauseConsumer', 'Pause a consumer'), path, answer: done, refusals: unknown },
  'POST /ops/consumers/:name/resume': { ...about('resumeConsumer', 'Resume a consumer'), path, answer: done, refusals: unknown },
  'GET /ops/consumers/:name/parked': {
    ...about('listParkedPartitions', 'List what a consumer has parked'),
    list: shortList(parkedPartition, {
      name: 'parked',
      member: 'parked',
      key: 'scope',
      sorts: ['n', 'parkedAt', 'attempts'],
      search: ['scope', 'type', 'error'],
    }),
    path,
    answer: json(parkedPartitions),
    refusals: unknown,
  },
  'POST /ops/consumers/:name/parked/:eventId/retry': {
    ...about('retryParkedPartition', 'Have a consumer try a parked event again at once'),
    path: event,
    answer: done,
    refusals: notParked,
  },
  'POST /ops/consumers/:name/parked/:eventId/skip': {
    ...about('skipInConsumer', 'Have a consumer go on after a parked event'),
    path: event,
    answer: done,
    refusals: notParked,
  },
};
