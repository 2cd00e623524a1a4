import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { PreferenceEvents } from '../preference/preference.events.ts';

type Channel = PreferenceEvents['NotificationChannelSwitched']['channel'];

/** Who is told what, and where; never under which address or key. */
export interface MessageFacts {
  readonly messageId: string;
  readonly userId: number;
  readonly channel: Channel;
  readonly kind: 'problem' | 'recovery';
  /** The worst that the message tells of; `ok` of a recovery. */
  readonly status: 'ok' | 'error' | 'timeout';
}

export interface NotificationEvents {
  NotificationRequested: MessageFacts & {
    /** The events that it tells of, the first ones of a flood; `total` counts all. */
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
