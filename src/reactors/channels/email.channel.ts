import { compose, type Composed } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import type { Channel } from './channel.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const FOOT = 'You get this because notifications by e-mail are switched on for this project.';

export const emailText = ({ lines }: Composed, { project }: Message): string => `${lines.join('\n\n')}\n\n${project.url}\n\n--\n${FOOT}\n`;

export function emailHtml({ title, lines }: Composed, { project, kind }: Message): string {
  const colour = kind === 'problem' ? '#b3261e' : '#1b6e3c';
  const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`).join('\n');
  const url = escaped(project.url);
  return [
    '<!doctype html>',
    '<html><body style="font-family:sans-serif;max-width:40em">',
    `<h2 style="color:${colour}">${escaped(title)}</h2>`,
    paragraphs,
    `<p><a href="${url}">${url}</a></p>`,
    `<p style="color:#666;font-size:small">${FOOT}</p>`,
    '</body></html>',
  ].join('\n');
}

const addressIn = (from: string): string => /<([^>]+)>/.exec(from)?.[1] ?? from;

/** A recovery stands in the thread of the failure that it ends. */
export const emailChannel: Channel = {
  parallel: 4,
  read: () => ({ ok: true, settings: {} }),
  deliver: async ({ address = '' }, message, { mailer, mailFrom }) => {
    const composed = compose(message);
    const sender = addressIn(mailFrom);
    const idOf = (id: string): string => `<${id}@${sender.split('@')[1] ?? 'localhost'}>`;
    const answered = message.answers.map(({ id }) => idOf(id));
    const outcome = await mailer.send({
      to: address,
      subject: composed.title,
      text: emailText(composed, message),
      html: emailHtml(composed, message),
      messageId: idOf(message.id),
      ...(answered[0] === undefined ? {} : { inReplyTo: answered[0], references: answered.slice(0, 20) }),
      unsubscribe: `mailto:${sender}?subject=unsubscribe`,
    });
    switch (outcome.kind) {
      case 'sent':
        return { kind: 'delivered', answer: 'taken by the mail server' };
      case 'off':
        return { kind: 'refused', reason: 'no mail server is configured' };
      case 'failed':
        return outcome.temporary ? { kind: 'later', reason: outcome.reason, afterMs: null } : { kind: 'refused', reason: outcome.reason };
    }
  },
};
