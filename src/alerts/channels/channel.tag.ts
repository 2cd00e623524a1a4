import { channelTag } from '../../accounts/account.tag.ts';
import { type AccountRow, accountView } from '../../accounts/account.view.ts';
import { existing, type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import { type ChannelRow, channelView } from './channel.view.ts';

export const emailChannelTag = (userId: number, row: AccountRow): string => channelTag(userId, 'email', row.notificationEmail);

export const channelRowTag = (userId: number, channel: string, row: ChannelRow | null): string =>
  channelTag(userId, channel, Object.entries(row?.byChannel ?? {}).find(([name]) => name === channel)?.[1].values ?? null);

export const channelThing: Thing = {
  name: 'channel',
  row: ({ userId, channel }) =>
    channel === 'email'
      ? thingRow(
          accountView,
          String(userId),
          existing((row) => emailChannelTag(userId, row)),
        )
      : thingRow(channelView, String(userId), (row) => channelRowTag(userId, channel, row)),
};
