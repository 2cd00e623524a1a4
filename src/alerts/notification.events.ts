import type { EntriesOf } from '../kernel/catalogue.ts';
import type { PreferenceEvents } from './preferences/preference.events.ts';

type Channel = PreferenceEvents['NotificationChannelSwitched']['channel'];

/** Recipient, channel and kind of a message; never its address or key. */
export interface MessageFacts {
  readonly messageId: string;
  readonly userId: number;
  readonly channel: Channel;
  /** `withdrawal`: closes an alert at the receiving service because its subject is no longer monitored. `notice`: something happened to the account. */
  readonly kind: 'problem' | 'recovery' | 'withdrawal' | 'report' | 'notice';
  /** The worst status in the message; `ok` unless it is a problem. */
  readonly status: Status;
  /** The worst status of the project that was notified and is not over, with this message. Null for a report and a notice. */
  readonly standing: Status | null;
}

type Status = 'ok' | 'error' | 'timeout';

export interface NotificationEvents {
  NotificationRequested: MessageFacts & {
    /** The events behind the message, the first ones of many; `total` counts all. A report and a notice list none. */
    readonly causes: readonly string[];
    readonly total: number;
  };
  NotificationDelivered: MessageFacts & { readonly attempts: number };
  NotificationGivenUp: MessageFacts & { readonly attempts: number; readonly reason: string };
}

export const notificationEvents = {
  NotificationRequested: { version: 1 },
  NotificationDelivered: { version: 1 },
  NotificationGivenUp: { version: 1 },
} satisfies EntriesOf<NotificationEvents>;
