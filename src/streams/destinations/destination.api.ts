import { type DestinationKind, destinationKinds, pauseReasons } from './destination.settings.ts';
import { eitherOf, integer, text, flag, list, named, orNull, record, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { filledText, oneOf, texts } from '../../platform/http/validation/fields.ts';
import {
  Input,
  type InputField,
  Optional,
  OptionalOrNull,
  ReadOnly,
  Required,
  type InputClass,
} from '../../platform/http/validation/input.ts';
import { exampleOf } from '../../platform/http/description/example.ts';
import { json, type Operation, type Operations, patches, takes, why } from '../../platform/http/description/operation.ts';
import { done, ID, idPath, instant, objectIdSchema } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

const POSITION = /^\d{1,15}$/;

const address: InputField<string> = {
  schema: text('An http or https address; the answers show only its host', {
    minLength: 1,
    maxLength: 8192,
    writeOnly: true,
    examples: ['https://events.example.com/watchledger'],
  }),
  accepts: (value) => typeof value === 'string' && value !== '',
  must: 'must be an http or https address',
};

const types = texts('Only events of these types; empty: all', { item: 'A type of event', maxLength: 100, maxItems: 100 });

/** Positions are text in answers, as in the feed. */
const startPosition = (description: string, words: readonly string[]): InputField<string> => ({
  schema: eitherOf(
    description,
    text('As text', { pattern: `^(${['\\d{1,15}', ...words].join('|')})$`, examples: ['4711'] }),
    integer('As a number', { minimum: 0, maximum: 999_999_999_999_999 }),
  ),
  read: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value),
  accepts: (value) => typeof value === 'string' && (POSITION.test(value) || words.includes(value)),
  must: `must be the position of an event${words.map((word) => `, or ${word}`).join('')}`,
});

const scope = text('`project-…`, `account-…` or `system`', { maxLength: 100, examples: ['project-64f0c2a91b7de35a04c8f612'] });
const SCOPE = /^(project-[0-9a-f]{24}|account-\d{1,15}|system)$/;

const scopes: InputField<string[]> = {
  ...texts('Only events of these projects and accounts; missing: of all', { item: 'A scope', maxLength: 100, maxItems: 100 }),
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every((one) => typeof one === 'string' && SCOPE.test(one)),
  must: 'must be a list of 1 to 100 scopes such as project-64f0c2a91b7de35a04c8f612',
};

const oneScope: InputField<string> = {
  schema: scope,
  accepts: (value) => typeof value === 'string' && SCOPE.test(value),
  must: 'must be a scope such as project-64f0c2a91b7de35a04c8f612',
};

/** Members of answers that a request may send back. */
class ShownFields {
  @ReadOnly() id?: unknown;
  @ReadOnly() host?: unknown;
  @ReadOnly() addedAt?: unknown;
  @ReadOnly() state?: unknown;
}

@Input('DestinationSettings', 'The settings of a destination of a project; an address that is missing stays')
export class DestinationDto extends ShownFields {
  @Required(filledText('Name', 100)) name!: string;
  @Optional(address) url?: string;
  @Optional(types) types: string[] = [];
  @ReadOnly() kind?: unknown;
  @ReadOnly() scopes?: unknown;
}

@Input('InstallationDestinationSettings', 'The settings of a destination of the installation; an address that is missing stays')
export class InstallationDestinationDto extends ShownFields {
  @Required(filledText('Name', 100)) name!: string;
  @Optional(address) url?: string;
  @Optional(types) types: string[] = [];
  @OptionalOrNull(scopes) scopes?: string[] | null;
  @ReadOnly() kind?: unknown;
}

const kind = oneOf('How events are pushed', destinationKinds);
const from = startPosition('The position of the first event; `now` (default): only events from now on; `0`: from the beginning', ['now']);

@Input('NewDestination', 'A destination for the events of a project')
export class NewDestinationDto {
  @Optional(kind) kind: DestinationKind = 'webhook';
  @Required(filledText('Name', 100)) name!: string;
  @Required(address) url!: string;
  @Optional(types) types: string[] = [];
  @Optional(from) from = 'now';
}

@Input('NewInstallationDestination', 'A destination for the events of the installation')
export class NewInstallationDestinationDto extends NewDestinationDto {
  @OptionalOrNull(scopes) scopes?: string[] | null;
}

@Input('Replay', 'From where events are pushed again')
export class ReplayDto {
  @Required(startPosition('The position of the first event that is pushed again', [])) from!: string;
}

@Input('InstallationReplay', 'From where events are pushed again')
export class InstallationReplayDto extends ReplayDto {
  @OptionalOrNull(oneScope) scope?: string | null;
}

export const destinationStatuses = ['active', 'retrying', 'parked', 'paused'] as const;

const position = (description: string) => text(description, { pattern: '^(-1|\\d+)$', examples: ['4711'] });

const state = record('How far it is', {
  status: word(
    destinationStatuses,
    'retrying: the last batch of a scope failed; parked: a scope failed for 72 hours and waits to be resumed',
  ),
  paused: orNull(record('Why nothing is pushed', { reason: word(pauseReasons, 'The reason'), since: instant('Since when') })),
  position: position('Every event up to it was pushed'),
  gap: integer('Events that are still to be pushed; 1,000: as many or more', { minimum: 0, maximum: 1_000 }),
  lagSeconds: integer('Age of the first of them', { minimum: 0 }),
  attempts: integer('Attempts of the batch that fails', { minimum: 0 }),
  failingSince: orNull(instant('Time of its first attempt')),
  nextAttempt: orNull(instant('Time of its next attempt')),
  retrying: integer('Scopes (projects, accounts) whose last batch failed', { minimum: 0 }),
  parked: integer('Scopes that are parked', { minimum: 0 }),
  lastAnswer: orNull(text('The last answer of the receiver', { examples: ['answered 200'] })),
  lastAnswerAt: orNull(instant('Time of that answer', '2023-03-23T12:53:21+00:00')),
});

const fields = {
  id: objectIdSchema('The destination'),
  kind: word(destinationKinds, 'How events are pushed'),
  name: text('Name', { examples: ['Warehouse'] }),
  host: text('Scheme, host and port of the address', { examples: ['https://events.example.com'] }),
  types: list(text('A type of event'), 'Only events of these types; empty: all', { examples: [['CheckFailed', 'CheckRecovered']] }),
  scopes: orNull(list(text('A scope'), 'Of the installation: only events of these projects and accounts')),
  addedAt: instant('Time at which it was added'),
  state,
};

const destinationSchema = named('Destination', record('A receiver to which events are pushed', fields));
export type DestinationAnswer = ValueOf<typeof destinationSchema>;

const newDestinationSchema = named(
  'AddedDestination',
  record('The new destination', {
    ...fields,
    secret: text('The key of the signatures, shown only once', { pattern: '^whsec_', examples: ['whsec_c2VjcmV0'] }),
  }),
);
export type AddedDestinationAnswer = ValueOf<typeof newDestinationSchema>;

const parkedSchema = named(
  'ParkedScope',
  record('A project or account whose events are not pushed any more', {
    scope: text('The scope', { examples: [`project-${ID}`] }),
    position: position('Every event up to it was pushed'),
    batchEnd: { ...position('The last event of the batch that failed'), examples: ['4790'] },
    attempts: integer('Attempts', { minimum: 1, examples: [300] }),
    failingSince: instant('Time of the first attempt', '2023-03-20T12:53:20+00:00'),
    parkedAt: instant('Time of the last attempt'),
    answer: text('The last answer of the receiver', { examples: ['answered 500'] }),
  }),
);
export type ParkedAnswer = ValueOf<typeof parkedSchema>;

const testSchema = named(
  'DestinationTest',
  record('Result of a batch without events', {
    delivered: flag('Whether it was accepted'),
    answer: text('The answer of the receiver', { examples: ['answered 200'] }),
  }),
);
export type DestinationTestAnswer = ValueOf<typeof testSchema>;

const sorted = { name: 'destinations', key: 'id', sorts: ['addedAt', 'name'], search: ['name', 'host'] } as const;
const destinations = shortList(destinationSchema, {
  ...sorted,
  status: { words: destinationStatuses, of: ({ state: { status } }) => status },
});
const parkedScopes = shortList(parkedSchema, { name: 'parked', key: 'scope', sorts: ['parkedAt', 'scope'] });

const example = exampleOf(destinationSchema, { state: exampleOf(state, { paused: null, failingSince: null, nextAttempt: null }) });
const wanted = { name: example.name, url: 'https://events.example.com/watchledger', types: example.types };

const unknown = { 404: why('There is no such destination') };

type Name = (id: string, summary: string) => Pick<Operation, 'id' | 'tag' | 'summary'>;

interface Owner {
  readonly base: string;
  readonly of: string;
  /** At the end of each id. */
  readonly suffix: string;
  readonly path: Operation['path'];
  readonly added: InputClass;
  readonly changed: InputClass;
  readonly patch: string;
  readonly replay: InputClass;
}

function actionsOf({ base, replay }: Pick<Owner, 'base' | 'replay'>, named: Name, one: Pick<Operation, 'path' | 'refusals'>): Operations {
  return {
    [`POST ${base}/:did/pause`]: {
      ...named('pauseDestination', 'Pause a destination'),
      ...one,
      description: 'The position stays; nothing is lost however long it takes.',
      answer: json(destinationSchema, example),
    },
    [`POST ${base}/:did/resume`]: {
      ...named('resumeDestination', 'Resume a destination'),
      ...one,
      description: 'From where it stopped. What is parked gets another 72 hours.',
      answer: json(destinationSchema, example),
    },
    [`POST ${base}/:did/replay`]: {
      ...named('replayDestination', 'Push events again to a destination'),
      ...one,
      body: takes(replay, { from: '4000' }),
      answer: json(destinationSchema, example),
    },
    [`POST ${base}/:did/test`]: {
      ...named('testDestination', 'Send a batch without events to a destination'),
      ...one,
      answer: json(testSchema),
    },
  };
}

function operationsOf({ base, of, suffix, path, added, changed, patch, replay }: Owner): Operations {
  const one = { path: { ...path, did: objectIdSchema('The destination') }, refusals: unknown };
  const all = path === undefined ? {} : { path };
  const named: Name = (id, summary) => ({
    id: `${id}${suffix}`,
    tag: 'Destinations',
    summary: `${summary} of ${of}`,
  });
  return {
    [`GET ${base}`]: {
      ...named('listDestinations', 'List the destinations'),
      ...all,
      list: destinations,
      answer: json(list(destinationSchema, 'In the order in which they were added'), [example]),
    },
    [`POST ${base}`]: {
      ...named('addDestination', 'Add a destination'),
      ...all,
      description:
        'Events are pushed in batches of up to 100, in order within each project, at least once, and retried for 72 hours. Needs the scope `feed`, too.',
      body: takes(added, wanted),
      answer: json(newDestinationSchema, { state: example.state }),
      refusals: { 409: why('There are as many destinations as there may be') },
    },
    [`GET ${base}/:did`]: { ...named('getDestination', 'Read a destination'), ...one, answer: json(destinationSchema, example) },
    [`PUT ${base}/:did`]: {
      ...named('changeDestination', 'Change a destination'),
      ...one,
      description: 'The address and the secret stay unless a new address is given. What failed or is parked is tried again.',
      body: takes(changed, wanted),
      answer: json(destinationSchema, example),
    },
    [`PATCH ${base}/:did`]: {
      ...named('patchDestination', 'Change a destination by a merge patch'),
      ...one,
      body: patches(changed, patch, { types: [] }),
      answer: json(destinationSchema, example),
    },
    [`DELETE ${base}/:did`]: { ...named('removeDestination', 'Remove a destination'), ...one, answer: done },
    ...actionsOf({ base, replay }, named, one),
    [`GET ${base}/:did/parked`]: {
      ...named('listParkedScopes', 'List what is parked in a destination'),
      ...one,
      list: parkedScopes,
      answer: json(list(parkedSchema, 'Up to 1,000')),
    },
  };
}

/** docs/spec/beyond.md#B25. */
export const destinationOperations: Operations = {
  ...operationsOf({
    base: '/project/:id/destinations',
    of: 'a project',
    suffix: '',
    path: idPath,
    added: NewDestinationDto,
    changed: DestinationDto,
    patch: 'DestinationPatch',
    replay: ReplayDto,
  }),
  ...operationsOf({
    base: '/destinations',
    of: 'the installation',
    suffix: 'OfInstallation',
    path: undefined,
    added: NewInstallationDestinationDto,
    changed: InstallationDestinationDto,
    patch: 'InstallationDestinationPatch',
    replay: InstallationReplayDto,
  }),
};
