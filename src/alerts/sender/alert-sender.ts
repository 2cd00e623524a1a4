import type { NotificationEvents } from '../notification.events.ts';
import { chainOf } from '../../kernel/event.ts';
import type { NotificationChannel } from '../preferences/preference.settings.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import { channels, incidentChannels } from '../channels/channel-table.ts';
import type { Transports } from '../channels/channel.ts';
import { worst } from '../composing/message.ts';
import type { Delivery } from '../../platform/outbox/delivery-store.ts';
import { maskedOutcome } from './address-book.ts';
import { reasonNotToSend } from './delivery-rules.ts';
import type { BundledIntent, MessageBundler } from './message-bundler.ts';
import { isAlert, type MessageReader } from './message-reader.ts';
import type { MessageSender, OutgoingMessage } from './outgoing-message.ts';
import { projectStream } from '../../kernel/stream-names.ts';

/** The event lists the ids of at most this many causes. */
const LISTED_CAUSES = 200;

export interface AlertSenderParts {
  readonly bundler: MessageBundler;
  readonly messages: MessageReader;
  readonly views: ViewsAt;
  readonly transports: Transports;
}

/** Messages about projects: failures, recoveries, and incidents to resolve because monitoring ended. */
export class AlertSender implements MessageSender {
  constructor(private readonly parts: AlertSenderParts) {}

  async prepare(delivery: Delivery, channel: NotificationChannel): Promise<OutgoingMessage | null> {
    const { bundler, messages, views, transports } = this.parts;
    const all = await bundler.intentsOf(delivery.id);
    const [first] = all;
    if (first === undefined || !isAlert(delivery)) return null;
    const left = all.filter(({ withdrawn }) => !withdrawn);
    const intents = left.length > 0 ? left : all;
    const { projectId, userId, kind } = delivery;
    // Sent to former members, too: the incident opened for them would stay open.
    const resolvesIncident = kind !== 'problem' && incidentChannels.includes(channel);
    return {
      cause: { scope: projectStream(projectId), chain: chainOf(first.causeId, first) },
      requested: await this.requested(delivery, channel, intents),
      refusal: async () => {
        if (left.length === 0) return 'the failed target is no longer monitored';
        // A problem retried after its recovery was sent would open an incident that nothing resolves.
        if (kind === 'problem' && incidentChannels.includes(channel) && (await bundler.recoveryWasSent(delivery.id)))
          return 'its recovery was already sent';
        return resolvesIncident ? null : reasonNotToSend(views.now(), projectId, userId, channel);
      },
      send: async ({ settings, zone, traceparent }, isAbandoned) => {
        const message = await messages.read(delivery, intents, { zone, traceparent });
        if (isAbandoned()) return { kind: 'abandoned' };
        const outcome = await channels[channel].deliver(settings, message, transports);
        return message.answers.reduce((masked, { settings: earlier = {} }) => maskedOutcome(masked, earlier), outcome);
      },
    };
  }

  private async requested(
    { id, userId, kind, projectId }: Delivery,
    channel: NotificationChannel,
    intents: readonly BundledIntent[],
  ): Promise<NotificationEvents['NotificationRequested']> {
    const status = worst(intents.map(({ facts }) => facts.status));
    // An error is the worst status, so the other messages need not be queried: a failure may have a thousand recipients.
    const standing = status === 'error' ? status : worst([status, ...(await this.parts.bundler.openStatuses(projectId))]);
    const causes = intents.slice(0, LISTED_CAUSES).map(({ causeId }) => causeId);
    return { messageId: id, userId, channel, kind, status, standing, causes, total: intents.length };
  }
}
