import { PARTITIONS } from './subscription.ts';
import { text, integer, list, named, number, orNull, record, type ValueOf } from '../../platform/http/description/schema.ts';
import { filledText, listOf, matching, nullable, object, oneOf, plainText, whole } from '../../platform/http/validation/fields.ts';
import { InlineInput, Input, Optional, OptionalOrNull, Required, answersOf } from '../../platform/http/validation/input.ts';
import { MAX_LIMIT } from '../../history/feed/feed-query.ts';
import { MAX_WAIT_SECONDS } from '../../history/feed/following.ts';
import { json, type Operation, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { done, instant, nextCursor } from '../../platform/http/description/vocabulary.ts';
import { eventSchema } from '../../history/history.api.ts';
import { shortList } from '../../platform/http/lists/list.ts';

export const MAX_IN_FLIGHT = 5_000;
export const MAX_ACK_SECONDS = 3_600;
const MAX_FILTERED = 100;

export const SUBSCRIPTION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const words = (description: string, item: string) =>
  listOf(
    description,
    {
      schema: text(item, { maxLength: 200 }),
      accepts: (given) => typeof given === 'string' && given !== '' && given.length <= 200 && !given.includes('\u0000'),
      must: 'texts of 1 to 200 characters',
    },
    { minItems: 1, maxItems: MAX_FILTERED },
  );

const startPosition = (description: string) =>
  matching(description, /^(-1|now|\d{1,15})$/, 'must be the position of an event, -1, or now', { examples: ['4711', 'now'] });

const tokens = listOf(
  'Tokens of deliveries',
  {
    schema: text('A token', { pattern: '^\\d{1,16}$' }),
    accepts: (given) => typeof given === 'string' && /^\d{1,16}$/.test(given),
    must: 'tokens of deliveries',
  },
  { minItems: 1, maxItems: MAX_LIMIT },
);

@InlineInput('Which events are delivered')
export class SubscriptionFilterDto {
  @OptionalOrNull(nullable(words('Only these types; null: all', 'A type'))) types?: string[] | null;
  @OptionalOrNull(nullable(words('Only these scopes; null: all that the owner may read at each time', 'A scope'))) scopes?: string[] | null;
}

@Input('SubscriptionSettings', 'What a subscription delivers, and how')
export class PutSubscriptionDto {
  @Optional(object(SubscriptionFilterDto)) filter?: SubscriptionFilterDto;
  @Optional(startPosition('Of a new subscription: only events after this position; from the beginning without it')) from?: string;
  @Optional(oneOf('Events of one partition are delivered in order, one at a time', PARTITIONS, { default: 'project' }))
  partition?: (typeof PARTITIONS)[number];
  @Optional(whole('Events that are delivered and not acknowledged, at most', 1, MAX_IN_FLIGHT, { default: 1_000 })) maxInFlight?: number;
  @Optional(whole('Seconds after which an event without an acknowledgement is delivered again', 1, MAX_ACK_SECONDS, { default: 30 }))
  ackSeconds?: number;
}

@Input('SubscriptionRead', 'A consumer that asks for events')
export class ReadSubscriptionDto {
  @Required(filledText('Name of the consumer, shown in the state', 100)) consumer!: string;
  @Optional(whole('Events at most', 1, MAX_LIMIT, { default: 100 })) limit?: number;
  @Optional(whole('Seconds to wait where nothing can be delivered yet', 0, MAX_WAIT_SECONDS, { default: 0 })) wait?: number;
}

@Input('SubscriptionAck', 'Deliveries that are done')
export class AckDto {
  @Required(tokens) tokens!: string[];
}

@Input('SubscriptionNack', 'Deliveries that failed')
export class NackDto {
  @Required(tokens) tokens!: string[];
  @Required(oneOf('Deliver again after a pause, or set aside', ['retry', 'park'])) action!: 'retry' | 'park';
  @Optional(plainText('Why, shown with a parked event', 1_000)) reason?: string;
}

@Input('SubscriptionReset', 'Where to continue')
export class ResetDto {
  @Required(startPosition('Continue after this position; -1: from the beginning, now: at the end of the log')) to!: string;
}

@Input('SubscriptionReplay', 'Which parked events are delivered again')
export class ReplayParkedDto {
  @OptionalOrNull(
    nullable(
      listOf(
        'Positions of parked events; null: all',
        {
          schema: text('A position', { pattern: '^\\d{1,15}$' }),
          accepts: (given) => typeof given === 'string' && /^\d{1,15}$/.test(given),
          must: 'positions of events',
        },
        { minItems: 1, maxItems: MAX_LIMIT },
      ),
    ),
  )
  positions?: string[] | null;
}

const position = (description: string, example = '4711') => text(description, { pattern: '^(-1|\\d+)$', examples: [example] });
const token = text('Grows with every delivery; acknowledges it', { pattern: '^\\d+$', examples: ['1763890000000001'] });
const count = (description: string, example = 0) => integer(description, { minimum: 0, examples: [example] });

/** docs/spec/beyond.md#B26. */
const subscriptionSchema = named(
  'Subscription',
  record('A subscription and its state', {
    name: text('Its name', { examples: ['billing'] }),
    filter: record('Which events are delivered', {
      types: orNull(list(text('A type'), 'Only these; null: all', { examples: [['CheckFailed']] })),
      scopes: orNull(list(text('A scope'), 'Only these; null: all that the owner may read')),
    }),
    ...answersOf(PutSubscriptionDto, 'partition', 'maxInFlight', 'ackSeconds'),
    position: position('Everything up to it that fits was acknowledged or parked'),
    head: position('The last event of the log', '4720'),
    gap: count('Positions between the two', 9),
    lag: number('Age of the first event after the position, in seconds; 0 at the end of the log', { minimum: 0, examples: [0.4] }),
    inFlight: count('Events that are delivered and not acknowledged', 2),
    waiting: count('Events that were found and wait for their partition', 1),
    parked: count('Events that consumers parked'),
    consumers: list(
      record('A consumer', {
        name: text('Its name', { examples: ['worker-1'] }),
        inFlight: count('Events in flight', 2),
        lastReadAt: instant('When it last asked, to half a minute'),
      }),
      'Consumers of the last ten minutes',
    ),
    createdAt: instant('When it was made'),
  }),
);
export type SubscriptionAnswer = ValueOf<typeof subscriptionSchema>;

const subscriptionList = named(
  'SubscriptionList',
  record('The subscriptions of the account', { subscriptions: list(subscriptionSchema, 'By name') }, { nextCursor }),
);
export type SubscriptionListAnswer = ValueOf<typeof subscriptionList>;

const deliveryPage = named(
  'SubscriptionPage',
  record('What is delivered', {
    deliveries: list(
      record('A delivery', {
        token,
        attempt: integer('How often the event has been delivered, this time included', { minimum: 1 }),
        until: instant('When the event may be delivered again'),
        event: eventSchema,
      }),
      'In the order of the log; empty where nothing can be delivered',
    ),
    position: position('Everything up to it that fits was acknowledged or parked'),
    head: position('The last event of the log when it was read', '4720'),
  }),
);

const settled = named(
  'SubscriptionSettled',
  record('What came of the tokens', {
    done: count('Deliveries that had one of the tokens', 1),
    stale: list(
      token,
      'Tokens under which nothing is in flight: acknowledged before, delivered to another consumer since, reset, or unknown',
      { examples: [[]] },
    ),
  }),
);
export type SettledAnswer = ValueOf<typeof settled>;

const parkedEvent = named(
  'SubscriptionParkedEvent',
  record('An event that a consumer parked (a dead letter)', {
    position: position('Its position', '4712'),
    reason: text('What the consumer stated', { examples: ['no such customer'] }),
    consumer: text('The consumer', { examples: ['worker-1'] }),
    attempts: integer('Deliveries until then', { minimum: 1 }),
    parkedAt: instant('When it was parked'),
    event: eventSchema,
  }),
);
const parkedEvents = named(
  'SubscriptionParkedList',
  record('Parked events', { parked: list(parkedEvent, 'In the order of the log') }, { nextCursor }),
);

const replayedSchema = named('SubscriptionReplayed', record('What is delivered again', { replayed: count('Number of events', 1) }));

const exampleToken = '1763890000000001';

const path = { name: text('Name of a subscription', { examples: ['billing'] }) };
const about = (id: string, summary: string): Pick<Operation, 'id' | 'tag' | 'summary'> => ({ id, tag: 'Subscriptions', summary });
const unknown = { 404: why('You have no such subscription') };
const behind = { ...unknown, 409: why('The subscription is beyond the end of the log') };

export const subscriptionOperations: Operations = {
  'GET /subscriptions': {
    ...about('listSubscriptions', 'List your subscriptions'),
    list: shortList(subscriptionSchema, {
      name: 'subscriptions',
      member: 'subscriptions',
      key: 'name',
      sorts: ['name', 'parked'],
      search: ['name'],
    }),
    answer: json(subscriptionList),
  },
  'GET /subscriptions/:name': {
    ...about('getSubscription', 'Read the state of a subscription'),
    path,
    answer: json(subscriptionSchema),
    refusals: unknown,
  },
  'PUT /subscriptions/:name': {
    ...about('putSubscription', 'Create or change a subscription'),
    description:
      'A subscription that exists keeps its position, also with `from`. Another filter or partition begins again after the position.',
    path,
    body: takes(PutSubscriptionDto, { filter: { types: ['CheckFailed'] }, from: 'now', partition: 'project' }),
    answer: json(subscriptionSchema),
    refusals: { 409: why('The account has as many subscriptions as it may have') },
  },
  'DELETE /subscriptions/:name': { ...about('deleteSubscription', 'Delete a subscription'), path, answer: done, refusals: unknown },
  'POST /subscriptions/:name/read': {
    ...about('readSubscription', 'Take the next events'),
    description: 'Each is in flight until it is acknowledged, or until its lease ends; then it is delivered again, with a higher token.',
    path,
    body: takes(ReadSubscriptionDto, { consumer: 'worker-1', limit: 100, wait: 30 }),
    answer: json(deliveryPage),
    refusals: behind,
  },
  'POST /subscriptions/:name/ack': {
    ...about('acknowledgeEvents', 'Acknowledge events'),
    path,
    body: takes(AckDto, { tokens: [exampleToken] }),
    answer: json(settled),
    refusals: unknown,
  },
  'POST /subscriptions/:name/nack': {
    ...about('refuseEvents', 'Retry or park events'),
    path,
    body: takes(NackDto, { tokens: [exampleToken], action: 'park', reason: 'no such customer' }),
    answer: json(settled),
    refusals: { ...unknown, 409: why('The subscription has as many parked events as it may have') },
  },
  'POST /subscriptions/:name/reset': {
    ...about('resetSubscription', 'Continue at another position'),
    description: 'All tokens become stale. Events that were parked after the position are delivered with the others again.',
    path,
    body: takes(ResetDto, { to: '4000' }),
    answer: json(subscriptionSchema),
    refusals: unknown,
  },
  'GET /subscriptions/:name/parked': {
    ...about('listParkedEvents', 'List parked events'),
    list: shortList(parkedEvent, {
      name: 'parked events',
      member: 'parked',
      key: 'position',
      sorts: ['parkedAt', 'attempts'],
      search: ['reason'],
    }),
    path,
    answer: json(parkedEvents),
    refusals: unknown,
  },
  'POST /subscriptions/:name/parked/replay': {
    ...about('replayParkedEvents', 'Deliver parked events again'),
    path,
    body: { ...takes(ReplayParkedDto, { positions: ['4712'] }), optional: true },
    answer: json(replayedSchema),
    refusals: unknown,
  },
  'DELETE /subscriptions/:name/parked/:position': {
    ...about('discardParkedEvent', 'Discard a parked event'),
    path: { ...path, position: text('Position of the event', { examples: ['4712'] }) },
    answer: done,
    refusals: { 404: why('You have no such subscription, or the event is not parked in it') },
  },
};
