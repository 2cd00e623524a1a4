import type { DeliveryOutcome } from './post.ts';
import type { Mail } from '../../platform/mail/mailer.ts';
import { compose, type Composed, evidenceOf, withEvidence } from '../composing/compose.ts';
import { FAINT, inert, mailPage, unlinked } from '../../platform/mail/html.ts';
import { escaped } from '../../kernel/markup.ts';
import type { Message } from '../composing/message.ts';
import type { Channel, Transports } from './channel.ts';

const footOf = (kind: Message['kind']): string =>
  kind === 'test'
    ? 'You get this because your account asked for a test message.'
    : 'You get this because notifications by e-mail are switched on for this project.';

/** Programs link addresses in plain text, too: only the project's own and those of the evidence are left whole. */
export const emailText = ({ lines }: Composed, message: Message): string =>
  `${withEvidence(lines.map(unlinked), message).join('\n\n')}\n\n${message.project.url}\n\n--\n${footOf(message.kind)}\n`;

export function emailHtml({ title, lines }: Composed, message: Message): string {
  const { project, kind } = message;
  const evidence = evidenceOf(message).map((address) => (address === null ? '' : `<br><a href="${escaped(address)}">Evidence</a>`));
  // Readable on white and on black.
  const colour = kind === 'problem' ? '#d1382c' : '#22863a';
  const url = escaped(project.url);
  return mailPage([
    `<h2 style="color:${colour}">${inert(title)}</h2>`,
    ...lines.map((line, index) => `<p>${inert(line)}${evidence[index] ?? ''}</p>`),
    `<p><a href="${url}">${url}</a></p>`,
    `<p style="${FAINT}">${footOf(kind)}</p>`,
  ]);
}

const addressIn = (from: string): string => /<([^>]+)>/.exec(from)?.[1] ?? from;

export interface OutgoingMail extends Pick<Mail, 'to' | 'subject' | 'text' | 'html' | 'pictures'> {
  /** The message's id; a retry keeps it. */
  readonly id: string;
  /** Ids of earlier messages of the same thread. */
  readonly answers?: readonly string[];
  /** The address that one click unsubscribes at (RFC 8058). Default: a mail to the sender. */
  readonly unsubscribe?: string;
}

export async function deliverMail(
  { mailer, mailFrom }: Pick<Transports, 'mailer' | 'mailFrom'>,
  mail: OutgoingMail,
): Promise<DeliveryOutcome> {
  const { id, answers = [], unsubscribe, ...rest } = mail;
  const sender = addressIn(mailFrom);
  const idOf = (one: string): string => `<${one}@${sender.split('@')[1] ?? 'localhost'}>`;
  const [first] = answers;
  const outcome = await mailer.send({
    ...rest,
    messageId: idOf(id),
    ...(first === undefined ? {} : { inReplyTo: idOf(first), references: answers.slice(0, 20).map(idOf) }),
    unsubscribe: unsubscribe ?? `mailto:${sender}?subject=unsubscribe`,
  });
  switch (outcome.kind) {
    case 'sent':
      return { kind: 'delivered', answer: 'accepted by the mail server' };
    case 'off':
      return { kind: 'refused', reason: 'no mail server is configured' };
    case 'failed':
      return outcome.temporary ? { kind: 'later', reason: outcome.reason, afterMs: null } : { kind: 'refused', reason: outcome.reason };
  }
}

/** A recovery replies to the mail about its failure, so mail programs show one thread. */
export function composeMail(to: string, message: Message): OutgoingMail {
  const composed = compose(message);
  const [text, html] = [emailText(composed, message), emailHtml(composed, message)];
  return { id: message.id, to, subject: unlinked(composed.title), text, html, answers: message.answers.map(({ id }) => id) };
}

export const emailChannel: Channel = {
  maxConcurrent: 4,
  parseSettings: () => ({ ok: true, settings: {} }),
  deliver: ({ address = '' }, message, transports) => deliverMail(transports, composeMail(address, message)),
};
