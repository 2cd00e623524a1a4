import type { Decider } from '../../kernel/decider.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { EventBody, EventOf } from '../../kernel/event.ts';
import type { PreferenceEvents } from './preference.events.ts';
import { defaultNotifications, notificationChannels, type NotificationSettings } from './preference.settings.ts';
import { projectStream } from '../../kernel/stream-names.ts';

export type PreferenceEvent = EventOf<PreferenceEvents>;

/** The members of a project and their notification settings; null: the default. */
export type Preferences = ReadonlyMap<number, NotificationSettings | null>;

export class NotAMember extends DomainError {
  readonly code = 'NOT_A_MEMBER';

  constructor() {
    super('Only users of the project have notification settings for it.');
  }
}

/** The other events of the stream that decide who belongs to it. */
type MembershipEvent =
  | EventBody<'ProjectCreated', { readonly payerId: number }>
  | EventBody<'ProjectTransferred', { readonly to: number }>
  | EventBody<'MemberAdded' | 'MemberRemoved', { readonly userId: number }>
  | EventBody<'ProjectDeleted'>;

function evolve(preferences: Preferences, event: PreferenceEvent | MembershipEvent): Preferences {
  switch (event.type) {
    case 'ProjectCreated':
      return joined(preferences, event.data.payerId);
    case 'ProjectTransferred':
      return joined(preferences, event.data.to);
    case 'MemberAdded':
      return joined(preferences, event.data.userId);
    case 'MemberRemoved':
      return new Map([...preferences].filter(([userId]) => userId !== event.data.userId));
    case 'ProjectDeleted':
      return new Map();
    case 'NotificationSeverityChanged':
      return changed(preferences, event.data.userId, { severity: event.data.to });
    case 'NotificationChannelSwitched':
      return changed(preferences, event.data.userId, { [event.data.channel]: event.data.to });
    default:
      return preferences;
  }
}

const joined = (preferences: Preferences, userId: number): Preferences =>
  preferences.has(userId) ? preferences : new Map(preferences).set(userId, null);

const changed = (preferences: Preferences, userId: number, change: Partial<NotificationSettings>): Preferences =>
  new Map(preferences).set(userId, { ...(preferences.get(userId) ?? defaultNotifications), ...change });

export const preferences: Decider<Preferences, PreferenceEvent> = { initial: new Map(), evolve };

export const preferencesTarget = (projectId: string) => ({
  stream: projectStream(projectId),
  scope: projectStream(projectId),
  decider: preferences,
});

/** One event for each setting that really changes. */
export function changeNotifications(state: Preferences, userId: number, wanted: Partial<NotificationSettings>): readonly PreferenceEvent[] {
  const today = state.get(userId);
  if (today === undefined) throw new NotAMember();
  const { severity, ...channels } = today ?? defaultNotifications;
  return [
    ...(wanted.severity === undefined || wanted.severity === severity
      ? []
      : [{ type: 'NotificationSeverityChanged', data: { userId, from: severity, to: wanted.severity } } as const]),
    ...notificationChannels.flatMap((channel) => {
      const to = wanted[channel];
      if (to === undefined || to === channels[channel]) return [];
      return [{ type: 'NotificationChannelSwitched', data: { userId, channel, from: channels[channel], to } } as const];
    }),
  ];
}
