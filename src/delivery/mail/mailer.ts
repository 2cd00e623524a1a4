export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Shown within the HTML, which names them as `cid:<cid>`. */
  readonly pictures?: readonly Picture[];
  /** With its angle brackets; a repeat has the same. */
  readonly messageId?: string;
  /** Of the mail that began the thread. */
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  /** Where somebody asks to get no more of these. */
  readonly unsubscribe?: string;
}

export interface Picture {
  readonly cid: string;
  readonly name: string;
  readonly png: Buffer;
}

/** What became of a mail. A server that says no is no exception; `temporary` says whether a later try may go better. */
export type MailOutcome =
  | { readonly kind: 'sent' }
  /** No mail server is configured: nothing is sent, nothing is wrong. */
  | { readonly kind: 'off' }
  | { readonly kind: 'failed'; readonly reason: string; readonly temporary: boolean };

export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>;
  close(): void;
}

/** Injection token. */
export const MAILER = Symbol('Mailer');

export const noMailer: Mailer = { send: () => Promise.resolve({ kind: 'off' }), close: () => undefined };
