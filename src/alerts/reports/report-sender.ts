import type { Mail } from '../../platform/mail/mailer.ts';
import { FAINT, inert, mailPage } from '../../platform/mail/html.ts';
import { escaped } from '../../kernel/markup.ts';
import { type ComposedProject, composeReport } from './compose-report.ts';
import { png, PICTURE_HEIGHT, responsePicture, PICTURE_WIDTH } from './response-picture.ts';
import type { Report } from './report.ts';
import type { Delivery } from '../../platform/outbox/delivery-store.ts';
import type { NotificationChannel } from '../preferences/preference.settings.ts';
import { accountView } from '../../accounts/account.view.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import { deliverMail } from '../channels/email.channel.ts';
import type { Transports } from '../channels/channel.ts';
import type { MessageBundler } from '../sender/message-bundler.ts';
import type { MessageSender, OutgoingMessage } from '../sender/outgoing-message.ts';
import type { ReportReader } from './report-reader.ts';
import { accountStream } from '../../kernel/stream-names.ts';

const FOOT = 'You get this every week because the report period of your account is "week". Set it to "false" to stop these reports.';
const SEALED =
  'The latest signed checkpoint of the log that this report is computed from. Keep it: it lets you prove later that the history was not rewritten.';

/** Wrapped on narrow screens, from which notes are not copied. */
const NOTE = 'font-size:small;white-space:pre-wrap;overflow-wrap:anywhere';

const pictureOf = ({ id }: Report, place: number): string => `response-times-${String(place + 1)}.${id}@watchledger`;

export type ReportMail = Pick<Mail, 'subject' | 'text' | 'html' | 'pictures'>;

export function reportMail(report: Report): ReportMail {
  return { ...composedOf(report), pictures: picturesOf(report) };
}

function composedOf(report: Report): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { subject, opening, projects, closing, checkpoint } = composeReport(report);
  const text = [
    opening,
    ...projects.map(({ title, url, lines, failures }) =>
      [title, '='.repeat(Array.from(title).length), url, '', ...lines, ...failures.map((failure) => `  - ${failure}`)].join('\n'),
    ),
    ...closing,
    ...(checkpoint === null ? [] : [`${SEALED}\n\n${checkpoint.trimEnd()}`]),
    `--\n${FOOT}\n`,
  ].join('\n\n');
  const html = mailPage([
    `<h2>${escaped(subject)}</h2>`,
    `<p>${escaped(opening)}</p>`,
    ...projects.map((project, place) => projectHtml(project, pictureOf(report, place))),
    ...closing.map((line) => `<p>${escaped(line)}</p>`),
    ...(checkpoint === null ? [] : [`<p>${escaped(SEALED)}</p>`, `<pre style="${NOTE}">${escaped(checkpoint.trimEnd())}</pre>`]),
    `<p style="${FAINT}">${FOOT}</p>`,
  ]);
  return { subject, text, html };
}

function projectHtml({ title, url, lines, failures, caption }: ComposedProject, cid: string): string {
  const picture =
    caption === null
      ? []
      : [
          `<p><img src="cid:${cid}" width="${String(PICTURE_WIDTH)}" height="${String(PICTURE_HEIGHT)}" alt="${escaped(caption)}" style="max-width:100%;height:auto;border:1px solid #d9dee4"></p>`,
          `<p style="${FAINT}">${escaped(caption)}</p>`,
        ];
  return [
    `<h3>${inert(title)}</h3>`,
    `<p><a href="${escaped(url)}">${escaped(url)}</a></p>`,
    ...lines.map((line) => `<p>${inert(line)}</p>`),
    ...(failures.length === 0 ? [] : ['<ul>', ...failures.map((failure) => `<li>${inert(failure)}</li>`), '</ul>']),
    ...picture,
  ].join('\n');
}

function picturesOf(report: Report): NonNullable<Mail['pictures']> {
  return report.projects.flatMap(({ responseTimes }, place) =>
    responseTimes === null
      ? []
      : [
          {
            cid: pictureOf(report, place),
            name: `response-times-${String(place + 1)}.png`,
            png: png(responsePicture(responseTimes.points, report, report.zone)),
          },
        ],
  );
}

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
