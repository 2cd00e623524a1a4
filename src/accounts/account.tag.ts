import { settingsTag } from '../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../platform/http/conditions/thing.ts';
import type { AddressedChannel } from './account.events.ts';
import type { Account } from './account.state.ts';
import { accountView } from './account.view.ts';

/** What its owner may change of an account; texts are sealed. */
interface TaggedProfile {
  readonly name: object;
  readonly phone: object | null;
  readonly timezone: string;
  readonly notificationEmail: object | null;
  readonly notificationDelay: number;
  readonly reportPeriod: string;
}

export const accountTag = (
  userId: number,
  { name, phone, timezone, notificationEmail, notificationDelay, reportPeriod }: TaggedProfile,
): string => settingsTag('account', String(userId), { name, phone, timezone, notificationEmail, notificationDelay, reportPeriod });

export const accountTagIn = (account: Account): string | null =>
  account.kind === 'open' ? accountTag(account.userId, account.profile) : null;

export const accountThing: Thing = {
  name: 'account',
  row: ({ userId }) =>
    thingRow(
      accountView,
      String(userId),
      existing((row) => accountTag(userId, row)),
    ),
};

/** `values`: addresses and keys, sealed; of the channel `email` the notification address. */
export const channelTag = (userId: number, channel: string, values: object | null): string =>
  settingsTag('channel', `${String(userId)} ${channel}`, values);

export function channelTagIn(channel: AddressedChannel | 'email', account: Account): string | null {
  if (account.kind !== 'open') return null;
  const values = channel === 'email' ? account.profile.notificationEmail : (account.channels.get(channel) ?? null);
  return channelTag(account.userId, channel, values);
}
