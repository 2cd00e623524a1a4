export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
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
