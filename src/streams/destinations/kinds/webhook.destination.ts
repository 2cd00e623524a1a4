import { outcomeOfReply } from '../../../alerts/channels/post.ts';
import { parseFields, urlField } from '../../../alerts/channels/parse-settings.ts';
import { signed } from '../../../platform/outbox/standard-webhooks.ts';
import type { Kind } from './destination-kind.ts';

const GONE = 410;

/** A batch of CloudEvents in one POST, signed as Standard Webhooks describes (docs/spec/beyond.md#B25). */
export const webhookDestination: Kind = {
  maxConcurrent: 32,
  parseSettings: (given, guard) => parseFields(given, { url: urlField(guard) }),
  deliver: async ({ url = '', secret = '' }, { id, body }, { post, now }) => {
    const headers = {
      'content-type': 'application/cloudevents-batch+json; charset=utf-8',
      ...signed([secret], id, Math.floor(now() / 1000), body),
    };
    const reply = await post({ url, body, headers });
    return reply.kind === 'answered' && reply.status === GONE
      ? { kind: 'gone', reason: `answered ${String(GONE)}` }
      : outcomeOfReply(reply);
  },
};
