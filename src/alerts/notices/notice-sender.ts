import type { Sealed } from '../../kernel/event.ts';
import type { NotificationChannel } from '../preferences/preference.settings.ts';
import { accountStream } from '../../kernel/stream-names.ts';
import { projectView } from '../../projects/project.view.ts';
import { unlessParked, type ViewsAt } from '../../platform/read-models/views/views.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { Transports } from '../channels/channel.ts';
import { deliverMail } from '../channels/email.channel.ts';
import type { Delivery } from '../../platform/outbox/delivery-store.ts';
import type { MessageBundler } from '../sender/message-bundler.ts';
import type { MessageSender, OutgoingMessage } from '../sender/outgoing-message.ts';
import { composeNotices } from '../../accounts/notices/notice.ts';

export interface NoticeSenderParts {
  readonly bundler: Pick<MessageBundler, 'noticesOf'>;
  readonly views: ViewsAt;
  readonly keyring: Pick<Keyring, 'open'>;
  readonly transports: Pick<Transports, 'mailer' | 'mailFrom'>;
}

/** Security notices; those of one minute share a mail. */
export class NoticeSender implements MessageSender {
  constructor(private readonly parts: NoticeSenderParts) {}

  async prepare({ id, userId, kind }: Delivery, channel: NotificationChannel): Promise<OutgoingMessage | null> {
    const { bundler, views, keyring, transports } = this.parts;
    const notices = await bundler.noticesOf(id);
    if (notices.length === 0) return null;
    const names = {
      open: (sealed: Sealed) => keyring.open(sealed),
      titleOf: async (projectId: string) => {
        const project = await unlessParked(views.now().get(projectView, projectId));
        return project === null || project === 'parked' ? null : project.settings.title;
      },
    };
    return {
      cause: { scope: accountStream(userId), chain: null },
      requested: { messageId: id, userId, channel, kind, status: 'ok', standing: null, causes: [], total: notices.length },
      refusal: () => Promise.resolve(null),
      send: async ({ settings: { address = '' } }, isAbandoned) => {
        const mail = await composeNotices(notices, names);
        return isAbandoned() ? { kind: 'abandoned' } : deliverMail(transports, { id, to: address, ...mail });
      },
    };
  }
}
