import type { Delivery } from '../../platform/outbox/delivery-store.ts';
import type { NotificationChannel } from '../preferences/preference.settings.ts';
import { accountView } from '../../accounts/account.view.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import { deliverMail } from '../channels/email.channel.ts';
import type { Transports } from '../channels/channel.ts';
import type { MessageBundler } from '../sender/message-bundler.ts';
import type { MessageSender, OutgoingMessage } from '../sender/outgoing-message.ts';
import { reportMail } from './report-mail.ts';
import type { ReportReader } from './report-reader.ts';
import { accountStream } from '../../kernel/stream-names.ts';

export interface ReportSenderParts {
  readonly bundler: Pick<MessageBundler, 'reportSpanOf'>;
  readonly reader: Pick<ReportReader, 'read'>;
  readonly views: ViewsAt;
  readonly transports: Pick<Transports, 'mailer' | 'mailFrom'>;
}

/** The weekly report, composed at delivery for the week that was planned. */
export class ReportSender implements MessageSender {
  constructor(private readonly parts: ReportSenderParts) {}

  async prepare({ id, userId, kind }: Delivery, channel: NotificationChannel): Promise<OutgoingMessage | null> {
    const { bundler, reader, views, transports } = this.parts;
    const span = await bundler.reportSpanOf(id);
    if (span === null) return null;
    return {
      cause: { scope: accountStream(userId), chain: null },
      requested: { messageId: id, userId, channel, kind, status: 'ok', standing: null, causes: [], total: 0 },
      refusal: async () =>
        (await views.now().get(accountView, String(userId)))?.reportPeriod === 'false' ? 'reports were switched off' : null,
      send: async ({ settings: { address = '' }, zone }, isAbandoned) => {
        const mail = reportMail(await reader.read(id, userId, span, zone));
        return isAbandoned() ? { kind: 'abandoned' } : deliverMail(transports, { id, to: address, ...mail });
      },
    };
  }
}
