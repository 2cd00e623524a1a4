import { createECDH } from 'node:crypto';
import type { RequestDetails } from 'web-push';
import { compose, evidenceOf } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { unlinked } from '../../platform/mail/html.ts';
import { shortened } from '../../kernel/text.ts';
import type { Channel, DecryptedChannelSettings, ParsedSettings, Transports, VapidKeys } from './channel.ts';
import { outcomeOfReply, type PostRequest, type Reply, type DeliveryOutcome } from './post.ts';
import { parseFields, patternField, urlField } from './parse-settings.ts';
import { DAY_SECONDS } from '../../kernel/time.ts';

/** Push services accept 4096 bytes, 103 of which the encryption needs: header 86, tag 16, delimiter 1 (RFC 8188, RFC 8291). */
const MAX_PAYLOAD_BYTES = 4_096 - 103;
/** In characters; browsers show fewer. */
const MAX_TEXT = 1_500;
const MAX_ADDRESS = 500;
/** Answers of push services to a message signed with another key than that of the subscription. */
const OTHER_KEY = [400, 401, 403];
const BASE64URL = /^[\w-]{16,200}={0,2}$/;

export function pushPayload(message: Message): string {
  const { title, lines } = compose(message);
  const text = unlinked(lines.join('\n'));
  const [first] = evidenceOf(message);
  const evidence = first == null || first.length > MAX_ADDRESS ? {} : { evidence: first };
  const of = (body: string): string =>
    JSON.stringify({
      id: message.id,
      kind: message.kind,
      title: unlinked(title),
      body,
      url: message.project.url.slice(0, 500),
      ...evidence,
    });
  let longest = MAX_TEXT;
  // A character takes up to four bytes in UTF-8, and up to six where JSON escapes it.
  while (Buffer.byteLength(of(shortened(text, longest))) > MAX_PAYLOAD_BYTES) longest = Math.floor(longest * 0.9);
  return of(shortened(text, longest));
}

/** Accepts a browser's PushSubscription: `{endpoint, keys: {p256dh, auth}}`. */
function parseSubscription(given: Readonly<Record<string, unknown>>, url: ReturnType<typeof urlField>): ParsedSettings {
  const { subscription, ...rest } = given;
  if (Object.keys(rest).length > 0) return { ok: false, reason: `${Object.keys(rest).join(', ').slice(0, 80)}: is not a known field` };
  if (typeof subscription !== 'object' || subscription === null)
    return { ok: false, reason: 'subscription: must be the subscription of a browser' };
  const { endpoint, keys } = subscription as { readonly endpoint?: unknown; readonly keys?: unknown };
  const { p256dh, auth } = (typeof keys === 'object' && keys !== null ? keys : {}) as {
    readonly p256dh?: unknown;
    readonly auth?: unknown;
  };
  const fields = parseFields(
    { endpoint, p256dh, auth },
    { endpoint: url, p256dh: patternField(BASE64URL, 'a public key'), auth: patternField(BASE64URL, 'a secret of 16 bytes') },
  );
  return fields.ok ? fields : { ok: false, reason: `subscription: ${fields.reason}` };
}

/** A subscription accepts only the key that it was made with, so that a refused message is sent again with the previous one during a rotation. */
async function deliver(settings: DecryptedChannelSettings, message: Message, transports: Transports): Promise<DeliveryOutcome> {
  let reply: Reply = { kind: 'failed', reason: 'there is no VAPID key' };
  for (const keys of await transports.vapid()) {
    const request = await signedRequest(settings, message, keys, transports);
    if ('kind' in request) return request;
    reply = await transports.post(request);
    if (reply.kind !== 'answered' || !OTHER_KEY.includes(reply.status)) break;
  }
  return outcomeOfReply(reply);
}

async function signedRequest(
  settings: DecryptedChannelSettings,
  message: Message,
  keys: VapidKeys,
  { mailFrom }: Transports,
): Promise<PostRequest | DeliveryOutcome> {
  const { endpoint = '', p256dh = '', auth = '' } = settings;
  const address = /<([^>]+)>/.exec(mailFrom)?.[1] ?? mailFrom;
  // Loaded with the first message, to keep the start fast.
  const { default: webpush } = await import('web-push');
  let request: RequestDetails;
  try {
    request = webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, pushPayload(message), {
      vapidDetails: { subject: `mailto:${address}`, ...keys },
      TTL: DAY_SECONDS,
      urgency: message.kind === 'problem' ? 'high' : 'normal',
      contentEncoding: 'aes128gcm',
    });
  } catch (error) {
    return { kind: 'refused', reason: `the subscription cannot be used: ${error instanceof Error ? error.message : String(error)}` };
  }
  return { url: request.endpoint, body: request.body ?? Buffer.alloc(0), headers: request.headers };
}

export const webPushChannel: Channel = {
  maxConcurrent: 16,
  parseSettings: (given, guard) => parseSubscription(given, urlField(guard)),
  deliver,
};

/** A VAPID key pair on P-256 (RFC 8292). */
export function newVapidKeys(): Uint8Array {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys('base64url');
  // Node drops leading zeros; the key has exactly 32 bytes.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString('base64url');
  return Buffer.from(JSON.stringify({ publicKey, privateKey }));
}
