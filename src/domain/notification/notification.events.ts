import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { PreferenceEvents } from '../preference/preference.events.ts';

type Channel = PreferenceEvents['NotificationChannelSwitched']['channel'];

/** Who is told what, and where; never under which address or key. */
export interface MessageFacts {
  readonly messageId: string;
  readonly userId: number;
  readonly channel: Channel;
  /** `withdrawal`: what was told of is watched no longer, and something over there stays open until it hears so. */
  readonly kind: 'problem' | 'recovery' | 'withdrawal' | 'report';
  /** The worst that the message tells of; `ok` of everything but a problem. */
  readonly status: Status;
  /** How the project stands with this message: the worst of what anybody was told and is not over. Null of a report. */
  readonly standing: Status | null;
}

type Status = 'ok' | 'error' | 'timeout';

export interface NotificationEvents {
  NotificationRequested: MessageFacts & {
    /** The events that it tells of, the first ones of a flood; `total` counts all. A report tells of none. */
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
