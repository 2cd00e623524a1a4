import { compose, textWithEvidence } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { unlinked } from '../../platform/mail/html.ts';
import type { Channel } from './channel.ts';
import { outcomeOfReply } from './post.ts';
import { tokenField, parseFields } from './parse-settings.ts';

const MAX_TEXT = 4_000;

/** Pushbullet drops a repeat by its `guid`. */
export function pushbulletBody(message: Message): string {
  const { title, lines } = compose(message);
  const body = textWithEvidence(lines, message, MAX_TEXT);
  return JSON.stringify({ type: 'link', title: unlinked(title), body, url: message.project.url, guid: message.id });
}

export const pushbulletChannel: Channel = {
  maxConcurrent: 8,
  parseSettings: (given) => parseFields(given, { token: tokenField('an access token') }),
  deliver: async ({ token = '' }, message, { postToService, pushbulletUrl: url }) => {
    const headers = { 'content-type': 'application/json', 'access-token': token };
    return outcomeOfReply(await postToService({ url, body: pushbulletBody(message), headers }));
  },
};
