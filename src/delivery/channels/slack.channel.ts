import { compose } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { oneLine } from '../composing/words.ts';
import type { Channel } from './channel.ts';
import { outcomeOf } from './outcome-of.ts';
import { httpUrl, readFields } from './read-settings.ts';
import { link, plain } from './slack-markup.ts';

/** Slack cuts longer texts; what is left out is counted. */
const SHOWN_LINES = 50;

/** One icon, the project as a link, then a line for each thing (docs/spec/decisions.md#N6). */
export function slackText(message: Message): string {
  const { lines } = compose(message);
  const icon = message.kind === 'problem' ? ':fire:' : ':coffee:';
  const shown = lines.slice(0, SHOWN_LINES).map(plain);
  const more = lines.length > SHOWN_LINES ? [`and ${String(lines.length - SHOWN_LINES)} more`] : [];
  const opening = `${icon} ${link(message.project.url, oneLine(message.project.title, 120))}:`;
  return [...shown, ...more].length === 1 ? `${opening} ${shown.join('')}` : [opening, ...shown, ...more].join('\n');
}

/** An incoming webhook. */
export const slackChannel: Channel = {
  parallel: 16,
  read: (given, guard) => readFields(given, { url: httpUrl(guard) }),
  deliver: async ({ url = '' }, message, { post }) =>
    outcomeOf(await post({ url, body: JSON.stringify({ text: slackText(message) }), headers: { 'content-type': 'application/json' } })),
};
