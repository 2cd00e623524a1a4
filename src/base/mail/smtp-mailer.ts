import { createTransport, type Transporter } from 'nodemailer';
import { type Mail, type Mailer, type MailOutcome, noMailer, type Picture } from './mailer.ts';

const PATIENCE = { connectMs: 10_000, silenceMs: 30_000 } as const;

/** Over the operator's own mail server, which may stand on a private address. */
export class SmtpMailer implements Mailer {
  private readonly transport: Transporter;

  constructor(
    url: string,
    private readonly from: string,
    { connectMs, silenceMs }: { readonly connectMs: number; readonly silenceMs: number } = PATIENCE,
  ) {
    this.transport = createTransport(
      { url, pool: true, maxConnections: 2, connectionTimeout: connectMs, greetingTimeout: connectMs, socketTimeout: silenceMs },
      { from, disableFileAccess: true, disableUrlAccess: true },
    );
  }

  async send({ to, subject, text, html, pictures = [], messageId, inReplyTo, references, unsubscribe }: Mail): Promise<MailOutcome> {
    try {
      await this.transport.sendMail({
        from: this.from,
        to: { name: '', address: to },
        subject,
        text,
        ...(html === undefined ? {} : { html }),
        ...(pictures.length === 0 ? {} : { attachments: pictures.map(attached) }),
        ...(messageId === undefined ? {} : { messageId }),
        ...(inReplyTo === undefined ? {} : { inReplyTo }),
        ...(references === undefined ? {} : { references: [...references] }),
        ...(unsubscribe === undefined ? {} : { list: { unsubscribe: { url: unsubscribe, comment: 'no more of these' } } }),
      });
      return { kind: 'sent' };
    } catch (error) {
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error), temporary: !isPermanent(error) };
    }
  }

  close(): void {
    this.transport.close();
  }
}

const attached = ({ cid, name, png }: Picture) =>
  ({ cid, filename: name, content: png, contentType: 'image/png', contentDisposition: 'inline' }) as const;

/**
 * The server's last word on this mail or its recipient. What it says to the operator, on signing in or of the sender, is as bad for every mail, and
 * will be mended.
 */
const FINAL = new Set(['RCPT TO', 'DATA']);

const isPermanent = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'responseCode' in error &&
  typeof error.responseCode === 'number' &&
  error.responseCode >= 500 &&
  'command' in error &&
  typeof error.command === 'string' &&
  FINAL.has(error.command);

export const mailerOf = (smtpUrl: string | undefined, from: string): Mailer =>
  smtpUrl === undefined ? noMailer : new SmtpMailer(smtpUrl, from);
