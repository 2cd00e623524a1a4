import type { AddressedChannel } from '../../../domain/account/account.events.ts';
import type { Sealed } from '../../../kernel/event.ts';
import { defineView, scopeId } from '../../authoring/define-view.ts';

export interface ChannelSettings {
  readonly values: Readonly<Record<string, Sealed>>;
  readonly setAt: string;
}

/** The channels of a user besides e-mail; addresses and keys stay sealed. */
export interface ChannelRow {
  readonly byChannel: { readonly [Channel in AddressedChannel]?: ChannelSettings };
}

export const channelView = defineView<ChannelRow>()({
  name: 'channel',
  version: 1,
  scope: 'account',
  key: scopeId,
  on: {
    ChannelSet: (row, { data: { channel, values }, meta }) => ({
      byChannel: { ...row?.byChannel, [channel]: { values, setAt: meta.occurredAt } },
    }),
    ChannelRemoved: (row, { data }) =>
      row && { byChannel: Object.fromEntries(Object.entries(row.byChannel).filter(([channel]) => channel !== data.channel)) },
    AccountErased: () => null,
  },
});
