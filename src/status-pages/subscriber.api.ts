import { json, type Operations, takes, why } from '../platform/http/description/operation.ts';
import { flag, integer, named, record, type ValueOf } from '../platform/http/description/schema.ts';
import { objectIdSchema } from '../platform/http/description/vocabulary.ts';
import { SubscriberRemovalDto } from './status-page.dto.ts';

const countsSchema = named(
  'SubscriberCounts',
  record('How many subscribe to a status page', {
    email: integer('By e-mail', { examples: [120] }),
    webhook: integer('By webhook', { examples: [3] }),
    failing: integer('Subscribers whose last message could not be delivered', { examples: [1] }),
  }),
);
export type SubscriberCountsAnswer = ValueOf<typeof countsSchema>;

const removedSchema = record('The removal', { removed: flag('Whether the address was subscribed') });
export type RemovedSubscriberAnswer = ValueOf<typeof removedSchema>;

const retriedSchema = record('The retry', { messages: integer('Messages that are attempted again', { examples: [1] }) });
export type RetriedMessagesAnswer = ValueOf<typeof retriedSchema>;

const path = { id: objectIdSchema('The status page') };
const tag = 'StatusPages';
const refusals = { 404: why('There is no such status page, or the caller may not edit all that it shows') };

/** docs/spec/beyond.md#B14. */
export const subscriberOperations: Operations = {
  'GET /status-pages/:id/subscribers': {
    id: 'countSubscribers',
    tag,
    summary: 'Count the subscribers of a status page',
    path,
    description: 'Their addresses are encrypted and never answered.',
    answer: json(countsSchema),
    refusals,
  },
  'POST /status-pages/:id/subscribers/remove': {
    id: 'removeSubscriber',
    tag,
    summary: 'Remove a subscriber of a status page by its address',
    path,
    description: 'The address is deleted, and what was not sent to it yet.',
    body: takes(SubscriberRemovalDto, { address: 'ada@example.com' }),
    answer: json(removedSchema),
    refusals,
  },
  'POST /status-pages/:id/subscribers/retry': {
    id: 'retrySubscribers',
    tag,
    summary: 'Attempt the messages again that could not be delivered',
    path,
    answer: json(retriedSchema),
    refusals,
  },
};
