import { compose, evidenceOf } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { oneLine } from '../composing/words.ts';
import { JOINER, unlinked } from '../../platform/mail/html.ts';
import type { Channel } from './channel.ts';
import { outcomeOfReply } from './post.ts';
import { parseFields, urlField } from './parse-settings.ts';

/** Slack's markup cannot be escaped, so its characters are replaced by look-alikes. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { '*': '\u2217', _: '\u02cd', '~': '\u223c', '`': '\u02cb' };

/** An underscore inside a word, as in `my_page`, is not markup. */
const MARKS = /[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const EMOJI = /:(?=[\w+'-]*[a-z][\w+'-]*:)/gi;
const MENTION = /[@#](?=[\p{L}\p{N}])/gu;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const unmarked = (text: string): string => text.replace(MARKS, (mark) => LOOK_ALIKES[mark] ?? mark);
const inert = (text: string): string => escaped(text.replace(EMOJI, `:${JOINER}`).replace(MENTION, `$&${JOINER}`));

/** Disables formatting, emoji, mentions and automatic links in text of users and sites. */
export const plain = (line: string): string => {
  // Before unlinking: some look-alikes are letters and could start a host name.
  const text = inert(unlinked(unmarked(line)));
  // A leading greater-than sign starts a quote even when escaped.
  return text.startsWith('&gt;') ? `${JOINER}${text}` : text;
};

/** A bar separates the address of a link from its title; a title is never linked again. */
export const link = (url: string, title: string): string =>
  `<${escaped(url).replaceAll('|', '%7C')}|${inert(unmarked(title.replaceAll('|', '/')))}>`;

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
