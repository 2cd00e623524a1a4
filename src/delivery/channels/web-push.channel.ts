import { createECDH } from 'node:crypto';
import type { RequestDetails } from 'web-push';
import { compose } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { shortened } from '../composing/words.ts';
import type { Channel, DeliveryOutcome, Outside, Read, Settings } from './channel.ts';
import { outcomeOf } from './outcome-of.ts';
import { httpUrl, key, readFields } from './read-settings.ts';

const DAY_SECONDS = 86_400;
/** A push service takes 4096 bytes, of which the encryption needs 103: a head of 86, a tag of 16, and an end (RFC 8188, RFC 8291). */
const LARGEST = 4_096 - 103;
/** In letters: as much as anybody reads there. */
const TEXT = 1_500;
const BASE64URL = /^[\w-]{16,200}={0,2}$/;

export function pushPayload(message: Message): string {
  const { title, lines } = compose(message);
  const text = lines.join('\n');
  const of = (body: string): string =>
    JSON.stringify({ id: message.id, kind: message.kind, title, body, url: message.project.url.slice(0, 500) });
  let longest = TEXT;
  // A letter is up to four bytes, and one that JSON escapes up to six.
  while (Buffer.byteLength(of(shortened(text, longest))) > LARGEST) longest = Math.floor(longest * 0.9);
  return of(shortened(text, longest));
}

/** As a browser gives it: `{endpoint, keys: {p256dh, auth}}`. */
function read(given: Readonly<Record<string, unknown>>, url: ReturnType<typeof httpUrl>): Read {
  const { subscription, ...rest } = given;
  if (Object.keys(rest).length > 0) return { ok: false, reason: `${Object.keys(rest).join(', ').slice(0, 80)}: is not a known field` };
  if (typeof subscription !== 'object' || subscription === null)
    return { ok: false, reason: 'subscription: must be the subscription of a browser' };
  const { endpoint, keys } = subscription as { readonly endpoint?: unknown; readonly keys?: unknown };
  const { p256dh, auth } = (typeof keys === 'object' && keys !== null ? keys : {}) as {
    readonly p256dh?: unknown;
    readonly auth?: unknown;
  };
  const fields = readFields(
    { endpoint, p256dh, auth },
    { endpoint: url, p256dh: key(BASE64URL, 'a public key'), auth: key(BASE64URL, 'a secret of 16 bytes') },
  );
  return fields.ok ? fields : { ok: false, reason: `subscription: ${fields.reason}` };
}

async function deliver(settings: Settings, message: Message, { post, vapid, mailFrom }: Outside): Promise<DeliveryOutcome> {
  const { endpoint = '', p256dh = '', auth = '' } = settings;
  const address = /<([^>]+)>/.exec(mailFrom)?.[1] ?? mailFrom;
  // Loaded with the first message: no start waits for it.
  const { default: webpush } = await import('web-push');
  let request: RequestDetails;
  try {
    request = webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, pushPayload(message), {
      vapidDetails: { subject: `mailto:${address}`, ...(await vapid()) },
      TTL: DAY_SECONDS,
      urgency: message.kind === 'problem' ? 'high' : 'normal',
      contentEncoding: 'aes128gcm',
    });
  } catch (error) {
    return { kind: 'refused', reason: `the subscription cannot be used: ${error instanceof Error ? error.message : String(error)}` };
  }
  const { headers } = request;
  return outcomeOf(await post({ url: request.endpoint, body: request.body ?? Buffer.alloc(0), headers }));
}

export const webPushChannel: Channel = {
  parallel: 16,
  read: (given, guard) => read(given, httpUrl(guard)),
  deliver,
};

/** A key pair on P-256, as RFC 8292 wants it. */
export function newVapidKeys(): Uint8Array {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys('base64url');
  // Leading zeros are part of the number's 32 bytes.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString('base64url');
  return Buffer.from(JSON.stringify({ publicKey, privateKey }));
}
