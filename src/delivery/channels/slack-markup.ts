import { JOINER, unlinked } from '../composing/words.ts';

/** Slack knows no way to escape its own markup: what looks like it, and means nothing there, stands for it. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { '*': '\u2217', _: '\u02cd', '~': '\u223c', '`': '\u02cb' };

/** Within a word an underscore is none of it: names such as `my_page` stay as they are. */
const MARKS = /[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const EMOJI = /:(?=[\w+'-]*[a-z][\w+'-]*:)/gi;
const MENTION = /[@#](?=[\p{L}\p{N}])/gu;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const unmarked = (text: string): string => text.replace(MARKS, (mark) => LOOK_ALIKES[mark] ?? mark);
const inert = (text: string): string => escaped(text.replace(EMOJI, `:${JOINER}`).replace(MENTION, `$&${JOINER}`));

/** A line that Slack shows as it is written: no format, no emoji, no mention, and no link that we did not make. */
export const plain = (line: string): string => {
  // Some look-alikes are letters, and would begin the name of a host.
  const text = inert(unlinked(unmarked(line)));
  // A greater-than sign at the beginning quotes, also when it is escaped.
  return text.startsWith('&gt;') ? `${JOINER}${text}` : text;
};

/** In the address of a link a bar would begin its title, and in its title nothing is linked again. */
export const link = (url: string, title: string): string =>
  `<${escaped(url).replaceAll('|', '%7C')}|${inert(unmarked(title.replaceAll('|', '/')))}>`;
