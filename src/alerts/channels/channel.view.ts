import type { AccountEvents, AddressedChannel } from '../../accounts/account.events.ts';
import type { Sealed } from '../../kernel/event.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';
import { channelTag, type AccountRow, accountView } from '../../accounts/account.view.ts';
import { existing, type Thing, thingRow } from '../../platform/http/conditions/thing.ts';

/** A secret that was replaced and signs as well until `until`. */
export interface PreviousSecret {
  readonly secret: Sealed;
  readonly setAt: string;
  readonly until: string;
}

export interface ChannelSettings {
  readonly values: Readonly<Record<string, Sealed>>;
  readonly setAt: string;
  /** The newest first. */
  readonly previous: readonly PreviousSecret[];
}

/** The channels of a user besides e-mail; addresses and keys stay sealed. */
export interface ChannelRow {
  readonly byChannel: { readonly [Channel in AddressedChannel]?: ChannelSettings };
}

/** An owner who lost the answer with a new secret sets it again; the secret that the receiver has must outlive that. */
const MOST_PREVIOUS = 3;

function previousOf(
  before: ChannelSettings | undefined,
  { previousUntil: until }: AccountEvents['ChannelSet'],
  now: string,
): readonly PreviousSecret[] {
  const secret = before?.values['secret'];
  if (before === undefined || secret === undefined || until === undefined) return [];
  const alive = before.previous.filter((previous) => previous.until > now);
  return [{ secret, setAt: before.setAt, until }, ...alive].slice(0, MOST_PREVIOUS);
}

export const channelView = defineView<ChannelRow>()({
  name: 'channel',
  version: 2,
  scope: 'account',
  key: scopeId,
  on: {
    ChannelSet: (row, { data, meta: { occurredAt: setAt } }) => {
      const previous = previousOf(row?.byChannel[data.channel], data, setAt);
      return { byChannel: { ...row?.byChannel, [data.channel]: { values: data.values, setAt, previous } } };
    },
    PreviousSecretsEnded: (row, { data: { channel } }) => {
      const settings = row?.byChannel[channel];
      return settings === undefined ? row : { byChannel: { ...row?.byChannel, [channel]: { ...settings, previous: [] } } };
    },
    ChannelRemoved: (row, { data }) =>
      row && { byChannel: Object.fromEntries(Object.entries(row.byChannel).filter(([channel]) => channel !== data.channel)) },
    AccountErased: () => null,
  },
});

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
