import { compose } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { oneLine, shortened, unlinked } from '../composing/words.ts';
import type { Channel } from './channel.ts';
import { outcomeOf } from './outcome-of.ts';
import { plainKey, readFields } from './read-settings.ts';

/** The service's own bounds, in characters. */
const TITLE = 250;
const TEXT = 1024;
const URL_LENGTH = 512;

export function pushoverForm(user: string, token: string, message: Message): string {
  const { title, lines } = compose(message);
  return new URLSearchParams({
    token,
    user,
    title: oneLine(unlinked(title), TITLE),
    message: shortened(unlinked(lines.join('\n')), TEXT),
    priority: message.kind === 'problem' ? '1' : '0',
    timestamp: String(Math.floor(Date.parse(message.at) / 1000)),
    ...(message.project.url.length <= URL_LENGTH ? { url: message.project.url } : {}),
  }).toString();
}

export const pushoverChannel: Channel = {
  parallel: 2,
  read: (given) =>
    readFields(given, {
      user: plainKey('a user or group key'),
      token: plainKey('the token of an application'),
    }),
  deliver: async ({ user = '', token = '' }, message, { post, pushoverUrl: url }) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return outcomeOf(await post({ url, body: pushoverForm(user, token, message), headers }));
  },
};
