import { compose } from '../composing/compose.ts';
import { type Message, worstStatus } from '../composing/message.ts';
import { signed } from '../../platform/outbox/standard-webhooks.ts';
import type { Channel } from './channel.ts';
import { outcomeOfReply } from './post.ts';
import { urlField, parseFields } from './parse-settings.ts';

export function webhookBody(message: Message): string {
  const { id, kind, project, items, at } = message;
  const { title, lines } = compose(message);
  return JSON.stringify({
    type: kind,
    timestamp: at,
    data: {
      id,
      project,
      status: worstStatus(message),
      title,
      text: lines.join('\n'),
      items: items.map(
        ({ about, checkId = null, name, status, url, failures, since, until = null, location, milliseconds = null, evidence = null }) => ({
          about,
          testId: checkId,
          name,
          status,
          url,
          failures,
          since,
          until,
          location,
          milliseconds,
          evidence,
        }),
      ),
    },
  });
}

/** A signed webhook (docs/spec/decisions.md#N5). */
export const webhookChannel: Channel = {
  maxConcurrent: 32,
  parseSettings: (given, guard) => parseFields(given, { url: urlField(guard) }),
  deliver: async ({ url = '', secret = '', ...previous }, message, { post, now }) => {
    const body = webhookBody(message);
    const headers = {
      'content-type': 'application/json',
      traceparent: message.traceparent,
      ...signed([secret, ...Object.values(previous)], message.id, Math.floor(now() / 1000), body),
    };
    return outcomeOfReply(await post({ url, body, headers }));
  },
};
