import { compose, evidenceOf } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { oneLine } from '../composing/words.ts';
import type { Channel } from './channel.ts';
import { outcomeOfReply } from './outcome-of-reply.ts';
import { urlField, parseFields } from './parse-settings.ts';
import { link, plain } from './slack-markup.ts';

/** Slack truncates longer texts; omitted lines are counted. */
const SHOWN_LINES = 50;

/** One icon, the project as a link, then one line per item (docs/spec/decisions.md#N6). */
export function slackText(message: Message): string {
  const { lines } = compose(message);
  const icon = message.kind === 'problem' ? ':fire:' : ':coffee:';
  const evidence = evidenceOf(message).map((address) => (address === null ? '' : ` ${link(address, 'Evidence')}`));
  const shown = lines.slice(0, SHOWN_LINES).map((line, index) => plain(line) + (evidence[index] ?? ''));
  const more = lines.length > SHOWN_LINES ? [`and ${String(lines.length - SHOWN_LINES)} more`] : [];
  const opening = `${icon} ${link(message.project.url, oneLine(message.project.title, 120))}:`;
  return [...shown, ...more].length === 1 ? `${opening} ${shown.join('')}` : [opening, ...shown, ...more].join('\n');
}

/** A Slack incoming webhook. */
export const slackChannel: Channel = {
  maxConcurrent: 16,
  parseSettings: (given, guard) => parseFields(given, { url: urlField(guard) }),
  deliver: async ({ url = '' }, message, { post }) =>
    outcomeOfReply(
      await post({ url, body: JSON.stringify({ text: slackText(message) }), headers: { 'content-type': 'application/json' } }),
    ),
};
