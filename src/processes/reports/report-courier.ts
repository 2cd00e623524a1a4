import type { Delivery } from '../../delivery/outbox/delivery-store.ts';
import type { NotificationChannel } from '../../domain/preference/settings.ts';
import { accountView } from '../../projections/read-models/account/account.view.ts';
import type { ViewsAt } from '../../projections/views/views.ts';
import { deliverMail } from '../../delivery/channels/email.channel.ts';
import type { Outside } from '../../delivery/channels/channel.ts';
import type { Bundling } from '../../delivery/sender/bundling.ts';
import type { Courier, Parcel } from '../../delivery/sender/courier.ts';
import { reportMail } from './report-mail.ts';
import type { ReportReader } from './report-reader.ts';

export interface ReportCourierParts {
  readonly bundling: Pick<Bundling, 'spanOf'>;
  readonly reader: Pick<ReportReader, 'read'>;
  readonly views: ViewsAt;
  readonly outside: Pick<Outside, 'mailer' | 'mailFrom'>;
}

/** The weekly report: written when it goes out, for the week that was planned. */
export class ReportCourier implements Courier {
  constructor(private readonly parts: ReportCourierParts) {}

  async parcel({ id, userId, kind }: Delivery, channel: NotificationChannel): Promise<Parcel | null> {
    const { bundling, reader, views, outside } = this.parts;
    const span = await bundling.spanOf(id);
    if (span === null) return null;
    return {
      cause: { scope: `account-${String(userId)}`, chain: null },
      requested: { messageId: id, userId, channel, kind, status: 'ok', standing: null, causes: [], total: 0 },
      refusal: async () =>
        (await views.now().get(accountView, String(userId)))?.reportPeriod === 'false' ? 'reports were switched off' : null,
      carry: async ({ settings: { address = '' }, zone }, abandoned) => {
        const mail = reportMail(await reader.read(id, userId, span, zone));
        return abandoned() ? { kind: 'abandoned' } : deliverMail(outside, { id, to: address, ...mail });
      },
    };
  }
}
