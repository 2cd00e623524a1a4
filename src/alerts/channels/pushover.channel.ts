import { compose, textWithEvidence } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { oneLine } from '../composing/words.ts';
import { unlinked } from '../../platform/mail/html.ts';
import type { Channel } from './channel.ts';
import { outcomeOfReply } from './post.ts';
import { tokenField, parseFields } from './parse-settings.ts';

/** Limits of the Pushover API, in characters. */
const MAX_TITLE = 250;
const MAX_TEXT = 1024;
const MAX_URL = 512;

export function pushoverForm(user: string, token: string, message: Message): string {
  const { title, lines } = compose(message);
  return new URLSearchParams({
    token,
    user,
    title: oneLine(unlinked(title), MAX_TITLE),
    message: textWithEvidence(lines, message, MAX_TEXT),
    priority: message.kind === 'problem' ? '1' : '0',
    timestamp: String(Math.floor(Date.parse(message.at) / 1000)),
    ...(message.project.url.length <= MAX_URL ? { url: message.project.url } : {}),
  }).toString();
}

export const pushoverChannel: Channel = {
  maxConcurrent: 2,
  parseSettings: (given) =>
    parseFields(given, {
      user: tokenField('a user or group key'),
      token: tokenField('the token of an application'),
    }),
  deliver: async ({ user = '', token = '' }, message, { postToService, pushoverUrl: url }) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return outcomeOfReply(await postToService({ url, body: pushoverForm(user, token, message), headers }));
  },
};
