import { PARTITIONS } from './subscription.ts';
import { text } from '../../platform/http/description/schema.ts';
import { filledText, listOf, matching, nullable, object, oneOf, plainText, whole } from '../../platform/http/validation/fields.ts';
import { InlineInput, Input, Optional, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';
import { MAX_LIMIT } from '../../history/feed/feed-query.ts';
import { MAX_WAIT_SECONDS } from '../../history/feed/following.ts';

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

const position = (description: string) =>
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
  @Optional(position('Of a new subscription: only events after this position; from the beginning without it')) from?: string;
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
  @Required(position('Continue after this position; -1: from the beginning, now: at the end of the log')) to!: string;
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
