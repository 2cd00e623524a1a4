import type { Schemas } from '../../client.ts';

/** In the middle of a sentence, and as their makers write them. */
export const CHANNEL_NAMES: Readonly<Record<Schemas['Channel']['channel'], string>> = {
  email: 'e-mail',
  pagerduty: 'PagerDuty',
  pushbullet: 'Pushbullet',
  pushover: 'Pushover',
  slack: 'Slack',
  webhook: 'webhook',
  webPush: 'web push',
};

/** What the service says in the middle of a sentence, where it begins one. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export type MemberRole = Schemas['ProjectUser']['role']['id'];

export const ROLES: Readonly<Record<MemberRole, string>> = { '4': 'admin', '5': 'developer', '6': 'guest' };

export const isRole = (value: unknown): value is MemberRole => typeof value === 'string' && value in ROLES;
