import type { Delivery } from '../outbox/delivery-store.ts';
import type { Cause } from '../../commands/notification/record-notification.ts';
import type { NotificationEvents } from '../../domain/notification/notification.events.ts';
import type { NotificationChannel } from '../../domain/preference/settings.ts';
import type { DeliveryOutcome, Settings } from '../channels/channel.ts';

/** Abandoned: whoever lost the lease sends nothing more. */
export type Carried = DeliveryOutcome | { readonly kind: 'abandoned' };

/** One message, known as far as its event tells of it. */
export interface Parcel {
  readonly cause: Cause;
  readonly requested: NotificationEvents['NotificationRequested'];
  /** Why it is not to be carried any more; asked before each try. */
  refusal(): Promise<string | null>;
  /** Reads and writes what the message says, and hands it over; `abandoned` is asked last of all before it goes out. */
  carry(to: { readonly settings: Settings; readonly zone: string }, abandoned: () => boolean): Promise<Carried>;
}

/** Knows what messages of its kind say, and how they go out. */
export interface Courier {
  /** Null: there is nothing to tell. */
  parcel(delivery: Delivery, channel: NotificationChannel): Promise<Parcel | null>;
}
