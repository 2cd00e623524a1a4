import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { BadgeEvents } from './badge.events.ts';

export type BadgeEvent = EventOf<BadgeEvents>;

/** Each publishing has a serial of its own: a link that was withdrawn never works again. */
export interface Badge {
  readonly serial: number;
  readonly published: boolean;
}

const initial: Badge = { serial: 0, published: false };

function evolve(badge: Badge, event: BadgeEvent): Badge {
  switch (event.type) {
    case 'BadgePublished':
      return { serial: event.data.serial, published: true };
    case 'BadgeWithdrawn':
      return { ...badge, published: false };
    default:
      return ignoreUnknownEvent(event, badge);
  }
}

export function switchBadge({ serial, published }: Badge, wanted: boolean): readonly BadgeEvent[] {
  if (wanted === published) return [];
  return wanted ? [{ type: 'BadgePublished', data: { serial: serial + 1 } }] : [{ type: 'BadgeWithdrawn', data: { serial } }];
}

export const badge: Decider<Badge, BadgeEvent> = { initial, evolve };
