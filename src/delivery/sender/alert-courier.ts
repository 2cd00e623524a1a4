import type { Delivery } from '../outbox/delivery-store.ts';
import type { NotificationEvents } from '../../domain/notification/notification.events.ts';
import type { NotificationChannel } from '../../domain/preference/settings.ts';
import type { ViewsAt } from '../../projections/views/views.ts';
import { channels, staysOpen } from '../channels/channel-table.ts';
import type { Outside } from '../channels/channel.ts';
import { worst } from '../composing/message.ts';
import { spared } from '../../processes/notifications/audience.ts';
import { shownOutcome } from './address-book.ts';
import type { Bundling, Told } from './bundling.ts';
import type { Courier, Parcel } from './courier.ts';
import { isAlert, type MessageReader } from './message-reader.ts';

/** A cause stands in the event as its id; of a flood the first ones. */
const NAMED_CAUSES = 200;

export interface AlertCourierParts {
  readonly bundling: Bundling;
  readonly messages: MessageReader;
  readonly views: ViewsAt;
  readonly outside: Outside;
}

/** What happened to projects: failures, recoveries, and the end of watching. */
export class AlertCourier implements Courier {
  constructor(private readonly parts: AlertCourierParts) {}

  async parcel(delivery: Delivery, channel: NotificationChannel): Promise<Parcel | null> {
    const { bundling, messages, views, outside } = this.parts;
    const all = await bundling.told(delivery.id);
    const [first] = all;
    if (first === undefined || !isAlert(delivery)) return null;
    const left = all.filter(({ withdrawn }) => !withdrawn);
    const told = left.length > 0 ? left : all;
    const { projectId, userId, kind } = delivery;
    // Who left has an incident that stays open without it.
    const closing = kind !== 'problem' && staysOpen.includes(channel);
    return {
      cause: { scope: `project-${projectId}`, chain: { correlationId: first.correlationId, causationId: first.causeId } },
      requested: await this.requested(delivery, channel, told),
      refusal: async () => {
        if (left.length === 0) return 'what failed is watched no longer';
        // Asked for again, after its end: what it opens over there, nothing would close.
        if (kind === 'problem' && staysOpen.includes(channel) && (await bundling.endWasTold(delivery.id)))
          return 'its end was told already';
        return closing ? null : spared(views.now(), projectId, userId, channel);
      },
      carry: async ({ settings, zone }, abandoned) => {
        const message = await messages.read(delivery, told, zone);
        if (abandoned()) return { kind: 'abandoned' };
        const outcome = await channels[channel].deliver(settings, message, outside);
        return message.answers.reduce((shown, { settings: earlier = {} }) => shownOutcome(shown, earlier), outcome);
      },
    };
  }

  private async requested(
    { id, userId, kind, projectId }: Delivery,
    channel: NotificationChannel,
    told: readonly Told[],
  ): Promise<NotificationEvents['NotificationRequested']> {
    const status = worst(told.map(({ facts }) => facts.status));
    // Nothing is worse than an error: of a failure that a thousand are told of, nobody has to look at the other messages.
    const standing = status === 'error' ? status : worst([status, ...(await this.parts.bundling.standing(projectId))]);
    const causes = told.slice(0, NAMED_CAUSES).map(({ causeId }) => causeId);
    return { messageId: id, userId, channel, kind, status, standing, causes, total: told.length };
  }
}
