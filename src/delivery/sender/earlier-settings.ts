import type { Log } from '../../log/log.ts';
import { unlessParked, type ViewsAt } from '../../projections/views/views.ts';
import { staysOpen } from '../channels/channel-table.ts';
import type { Answered } from '../composing/message.ts';
import type { AddressBook } from './address-book.ts';
import type { Ended } from './bundling.ts';

/** What a message opened over there is closed where it was opened, whatever key its recipient has set since. */
export class EarlierSettings {
  constructor(
    private readonly addresses: AddressBook,
    private readonly views: ViewsAt,
    private readonly log: Pick<Log, 'at'>,
  ) {}

  async of({ userId, channel: name }: { readonly userId: number; readonly channel: string }, ended: Ended): Promise<Answered> {
    const { id, over, deliveredAt } = ended;
    const channel = staysOpen.find((known) => known === name);
    if (!over || deliveredAt === null || channel === undefined) return { id, over };
    const then = this.views.asOf(await this.log.at(deliveredAt.toISOString()));
    const found = await unlessParked(this.addresses.find(userId, channel, then));
    return found === 'parked' || found.kind === 'none' ? { id, over } : { id, over, settings: found.settings };
  }
}
