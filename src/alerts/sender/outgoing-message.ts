import type { Cause } from '../notification.commands.ts';
import type { NotificationEvents } from '../notification.events.ts';
import type { NotificationChannel } from '../preferences/preference.settings.ts';
import type { DecryptedChannelSettings } from '../channels/channel.ts';
import type { Delivery } from '../../platform/outbox/delivery-store.ts';
import type { SendOutcome } from '../../platform/outbox/outbox-relay.ts';

export interface DeliveryAttempt {
  readonly settings: DecryptedChannelSettings;
  /** The recipient's time zone. */
  readonly zone: string;
  /** W3C Trace Context of the attempt: an operation of its own in the trace of the cause. */
  readonly traceparent: string;
}

/** One due message, known as far as its event records it. */
export interface OutgoingMessage {
  readonly cause: Cause;
  readonly requested: NotificationEvents['NotificationRequested'];
  /** Why the message must not be sent any more; checked before each attempt. */
  refusal(): Promise<string | null>;
  /** Composes the message and hands it over; `isAbandoned` is checked right before. */
  send(attempt: DeliveryAttempt, isAbandoned: () => boolean): Promise<SendOutcome>;
}

/** Prepares the messages of one kind. */
export interface MessageSender {
  /** Null when the message has no content left. */
  prepare(delivery: Delivery, channel: NotificationChannel): Promise<OutgoingMessage | null>;
}

/** The seven days before a Monday in the recipient's time zone, in milliseconds since the epoch. */
export interface ReportSpan {
  readonly from: number;
  readonly to: number;
}
