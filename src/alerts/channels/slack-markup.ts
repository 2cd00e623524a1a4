import { JOINER, unlinked } from '../composing/words.ts';

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
