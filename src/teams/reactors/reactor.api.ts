import { json, type Operation, type Operations, why } from '../../platform/http/description/operation.ts';
import { integer, list, named, number, record, text, type ValueOf, word, orNull } from '../../platform/http/description/schema.ts';
import { done, nextCursor, uuidSchema } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

/** docs/spec/beyond.md#B7. */
const reactor = named(
  'Reactor',
  record(
    'State of a reactor of a team',
    {
      name: text('Name', { examples: ['incident_channel'] }),
      package: text('The package that it belongs to', { examples: ['./examples/incident-channel'] }),
      state: word(['live', 'paused', 'failed', 'stopped'], 'State; `stopped`: no instance has run it for 30 s'),
      position: integer('Position up to which it has handled the log', { examples: [4711] }),
      head: integer('Newest position of the log', { examples: [4711] }),
      gap: integer('Events behind the log', { minimum: 0 }),
      lag: number('Seconds behind the log', { minimum: 0 }),
      parked: integer('Parked projects and accounts', { minimum: 0 }),
    },
    { error: text('Why it failed or stopped') },
  ),
);
const reactorList = named('ReactorList', record('All reactors', { reactors: list(reactor, 'Each reactor') }, { nextCursor }));
export type ReactorListAnswer = ValueOf<typeof reactorList>;

const parkedReaction = named(
  'ParkedReaction',
  record('A project or account whose events wait behind one that the reactor could not handle', {
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
const parkedReactions = named(
  'ParkedReactionList',
  record('All parked projects and accounts', { parked: list(parkedReaction, 'In the order of the log') }, { nextCursor }),
);
export type ParkedReactionsAnswer = ValueOf<typeof parkedReactions>;

const path = { name: text('Name of a reactor', { examples: ['incident_channel'] }) };
const event = { ...path, eventId: uuidSchema('The event') };
const unknown = { 404: why('The reactor does not exist') };
const notParked = { 404: why('The reactor does not exist, or the event is not parked in it') };
const about = (id: string, summary: string): Pick<Operation, 'id' | 'tag' | 'summary'> => ({ id, tag: 'Projections', summary });

export const reactorOperations: Operations = {
  'GET /ops/reactors': {
    ...about('listReactors', 'List the state of all reactors'),
    list: shortList(reactor, {
      name: 'reactors',
      member: 'reactors',
      key: 'name',
      sorts: ['name', 'parked'],
      search: ['name', 'package'],
      status: { words: ['live', 'paused', 'failed', 'stopped'], of: ({ state }) => state },
    }),
    answer: json(reactorList),
  },
  'DELETE /ops/reactors/:name': {
    ...about('removeReactor', 'Remove a reactor whose package no instance runs any more'),
    path,
    answer: done,
    refusals: { ...unknown, 409: why('An instance runs it, or ran it within the last 30 s') },
  },
  'POST /ops/reactors/:name/pause': { ...about('pauseReactor', 'Pause a reactor'), path, answer: done, refusals: unknown },
  'POST /ops/reactors/:name/resume': { ...about('resumeReactor', 'Resume a reactor'), path, answer: done, refusals: unknown },
  'GET /ops/reactors/:name/parked': {
    ...about('listParkedReactions', 'List what a reactor has parked'),
    list: shortList(parkedReaction, {
      name: 'parked',
      member: 'parked',
      key: 'scope',
      sorts: ['n', 'parkedAt', 'attempts'],
      search: ['scope', 'type', 'error'],
    }),
    path,
    answer: json(parkedReactions),
    refusals: unknown,
  },
  'POST /ops/reactors/:name/parked/:eventId/retry': {
    ...about('retryReaction', 'Have a reactor try a parked event again at once'),
    path: event,
    answer: done,
    refusals: notParked,
  },
  'POST /ops/reactors/:name/parked/:eventId/skip': {
    ...about('skipReaction', 'Have a reactor go on after a parked event'),
    path: event,
    answer: done,
    refusals: notParked,
  },
};
