import type { SendMailOptions, Transporter } from 'nodemailer';
import { type Mail, type Mailer, type MailOutcome, noMailer, type InlineImage } from './mailer.ts';

const TIMEOUTS = { connectMs: 10_000, silenceMs: 30_000 } as const;

/** Sends over the operator's mail server, which may have a private address. */
export class SmtpMailer implements Mailer {
  private transport: Promise<Transporter> | undefined;

  constructor(
    private readonly url: string,
    private readonly from: string,
    private readonly timeouts: { readonly connectMs: number; readonly silenceMs: number } = TIMEOUTS,
  ) {}

  async send({ to, subject, text, html, pictures = [], messageId, inReplyTo, references, unsubscribe }: Mail): Promise<MailOutcome> {
    try {
      const transport = await (this.transport ??= this.open());
      await transport.sendMail({
        from: this.from,
        to: { name: '', address: to },
        subject,
        text,
        ...(html === undefined ? {} : { html }),
        ...(pictures.length === 0 ? {} : { attachments: pictures.map(attached) }),
        ...(messageId === undefined ? {} : { messageId }),
        ...(inReplyTo === undefined ? {} : { inReplyTo }),
        ...(references === undefined ? {} : { references: [...references] }),
        ...(unsubscribe === undefined ? {} : unsubscribing(unsubscribe)),
      });
      return { kind: 'sent' };
    } catch (error) {
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error), temporary: !isPermanent(error) };
    }
  }

  close(): void {
    void this.transport?.then(
      (transport) => {
        transport.close();
      },
      () => undefined,
    );
  }

  /** Loads nodemailer with the first mail, to keep the start fast. */
  private async open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer');
    const { connectMs, silenceMs } = this.timeouts;
    return createTransport(
      { url: this.url, pool: true, maxConnections: 2, connectionTimeout: connectMs, greetingTimeout: connectMs, socketTimeout: silenceMs },
      { from: this.from, disableFileAccess: true, disableUrlAccess: true },
    );
  }
}

const unsubscribing = (url: string): Pick<SendMailOptions, 'list' | 'headers'> =>
  url.startsWith('https:')
    ? { list: { unsubscribe: { url } }, headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } }
    : { list: { unsubscribe: { url, comment: 'no more of these' } } };

const attached = ({ cid, name, png }: InlineImage) =>
  ({ cid, filename: name, content: png, contentType: 'image/png', contentDisposition: 'inline' }) as const;

/**
 * Commands whose 5xx is final for this mail or recipient. A 5xx to sign-in or sender concerns the operator's configuration, which will be
 * corrected, so the mail is retried.
 */
const FINAL_COMMANDS = new Set(['RCPT TO', 'DATA']);

const isPermanent = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'responseCode' in error &&
  typeof error.responseCode === 'number' &&
  error.responseCode >= 500 &&
  'command' in error &&
  typeof error.command === 'string' &&
  FINAL_COMMANDS.has(error.command);

export const mailerOf = (smtpUrl: string | undefined, from: string): Mailer =>
  smtpUrl === undefined ? noMailer : new SmtpMailer(smtpUrl, from);
