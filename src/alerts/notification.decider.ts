import { type Decider, ignoreUnknownEvent } from '../kernel/decider.ts';
import type { EventOf } from '../kernel/event.ts';
import type { NotificationEvents } from './notification.events.ts';
import { messageStream } from '../kernel/stream-names.ts';

export type NotificationEvent = EventOf<NotificationEvents>;

export type Notification =
  | { readonly kind: 'none' }
  | { readonly kind: 'requested' }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'given up' };

const initial: Notification = { kind: 'none' };

function evolve(state: Notification, event: NotificationEvent): Notification {
  switch (event.type) {
    case 'NotificationRequested':
      return { kind: 'requested' };
    case 'NotificationDelivered':
      return { kind: 'delivered' };
    case 'NotificationGivenUp':
      return { kind: 'given up' };
    default:
      return ignoreUnknownEvent(event, state);
  }
}

/** Requested once, however often the sender retries. */
export const request = (state: Notification, data: NotificationEvents['NotificationRequested']): readonly NotificationEvent[] =>
  state.kind === 'none' ? [{ type: 'NotificationRequested', data }] : [];

/** An abandoned message may still be delivered when its recipient asks for another attempt. */
export const deliver = (state: Notification, data: NotificationEvents['NotificationDelivered']): readonly NotificationEvent[] =>
  state.kind === 'delivered' ? [] : [{ type: 'NotificationDelivered', data }];

export const giveUp = (state: Notification, data: NotificationEvents['NotificationGivenUp']): readonly NotificationEvent[] =>
  state.kind === 'delivered' ? [] : [{ type: 'NotificationGivenUp', data }];

export const notification: Decider<Notification, NotificationEvent> = { initial, evolve };

/** In the scope of its project; a report in that of its recipient's account. */
export const notificationTarget = (scope: string, messageId: string) => ({
  stream: messageStream(messageId),
  scope,
  decider: notification,
});
