export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Inline images, referenced by the HTML as `cid:<cid>`. */
  readonly pictures?: readonly InlineImage[];
  /** Including its angle brackets; a retry keeps it. */
  readonly messageId?: string;
  /** The message id of the thread's first mail. */
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  /** The List-Unsubscribe address; an https one takes a click of the mail program (RFC 8058). */
  readonly unsubscribe?: string;
}

export interface InlineImage {
  readonly cid: string;
  readonly name: string;
  readonly png: Buffer;
}

/** A refusal by the server is a value, not an exception; `temporary` says whether to retry. */
export type MailOutcome =
  | { readonly kind: 'sent' }
  /** No mail server is configured. */
  | { readonly kind: 'off' }
  | { readonly kind: 'failed'; readonly reason: string; readonly temporary: boolean };

export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>;
  close(): void;
}

/** Injection token. */
export const MAILER = Symbol('Mailer');

export const noMailer: Mailer = { send: () => Promise.resolve({ kind: 'off' }), close: () => undefined };
