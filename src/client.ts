/** `watchledger/client`: the API for programs in TypeScript, in Node and in browsers. */
export { WatchledgerClient } from './client/client.ts';
export { ApiError, NoAnswer, type RefusalBody } from './client/api-error.ts';
export { EventFeed, type FeedOptions } from './client/event-feed.ts';
export { LiveStream, type LiveMessage, type LiveOptions } from './client/live-stream.ts';
export { ListReader } from './client/pages.ts';
export { SubscribedEvent, Subscriber, type SubscribeOptions } from './client/subscriber.ts';
export type { ClientOptions, FailedAttempt } from './client/transport.ts';
export type { ApiAnswer, DataOf, ItemOf, ListPath, OptionsOf, PathOf, Schemas } from './client/types.ts';
export type { ErrorCode } from './client/generated/api.ts';
