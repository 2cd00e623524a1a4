import { compose } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { shortened, unlinked } from '../composing/words.ts';
import type { Channel } from './channel.ts';
import { outcomeOf } from './outcome-of.ts';
import { plainKey, readFields } from './read-settings.ts';

const TEXT = 4_000;

/** The `guid` lets the service recognise a repeat. */
export function pushbulletBody(message: Message): string {
  const { title, lines } = compose(message);
  const body = shortened(unlinked(lines.join('\n')), TEXT);
  return JSON.stringify({ type: 'link', title: unlinked(title), body, url: message.project.url, guid: message.id });
}

export const pushbulletChannel: Channel = {
  parallel: 8,
  read: (given) => readFields(given, { token: plainKey('an access token') }),
  deliver: async ({ token = '' }, message, { post, pushbulletUrl: url }) => {
    const headers = { 'content-type': 'application/json', 'access-token': token };
    return outcomeOf(await post({ url, body: pushbulletBody(message), headers }));
  },
};
