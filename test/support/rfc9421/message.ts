import { createHash, createPublicKey, verify } from 'node:crypto';

/**
 * HTTP message signatures as RFC 9421 (sections 2.3, 2.5, 3.2) and RFC 9530 describe them. It is written from these texts alone and shares no code with src,
 * so that both cannot be wrong alike. It reads the signature fields as text: the parameters are signed as they were sent.
 */
export interface SignedMessage {
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  readonly headers: Headers;
  readonly body: string;
}

interface FieldMember {
  readonly label: string;
  readonly value: string;
}

/** Members of a dictionary: commas in strings and lists are not separators. */
export function membersOf(field: string): readonly FieldMember[] {
  const parts: string[] = [];
  let [from, quoted, depth] = [0, false, 0];
  for (let at = 0; at < field.length; at++) {
    const character = field[at];
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === '(') depth++;
    else if (!quoted && character === ')') depth--;
    else if (!quoted && depth === 0 && character === ',') {
      parts.push(field.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, field.slice(from)].map((part) => {
    const text = part.trim();
    const at = text.indexOf('=');
    return { label: text.slice(0, at), value: text.slice(at + 1) };
  });
}

/** The signature base of one member of `Signature-Input`. */
export function baseOf(input: string, message: SignedMessage): string {
  const covered = input.slice(1, input.indexOf(')')).split(' ').filter(Boolean);
  const lines = covered.map((identifier) => `${identifier}: ${valueOf(identifier, message)}`);
  return [...lines, `"@signature-params": ${input}`].join('\n');
}

function valueOf(identifier: string, { method, url, status, headers }: SignedMessage): string {
  const { protocol, host, pathname, search } = new URL(url);
  const [name = ''] = identifier.slice(1).split('"', 1);
  switch (name) {
    case '@method':
      return method;
    case '@authority':
      return host;
    case '@scheme':
      return protocol.slice(0, -1);
    case '@target-uri':
      return url;
    case '@path':
      return pathname;
    case '@query':
      return search === '' ? '?' : search;
    case '@status':
      return String(status);
    default:
      return headers.get(name)?.trim() ?? `missing ${name}`;
  }
}

export const paramOf = (input: string, name: string): string | undefined =>
  new RegExp(`;${name}=(?:"([^"]*)"|([^;]*))`)
    .exec(input.slice(input.indexOf(')') + 1))
    ?.slice(1)
    .find((value) => value !== undefined);

/** The labels under which the key signed this message, and whether `Content-Digest` is that of its body. `key`: the 32 bytes of an Ed25519 key. */
export function signedBy(key: Uint8Array, message: SignedMessage): { readonly labels: readonly string[]; readonly digest: boolean } {
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const signatures = new Map(membersOf(message.headers.get('signature') ?? '').map(({ label, value }) => [label, value.slice(1, -1)]));
  const labels = membersOf(message.headers.get('signature-input') ?? '').flatMap(({ label, value }) => {
    const signature = Buffer.from(signatures.get(label) ?? '', 'base64');
    return verify(null, Buffer.from(baseOf(value, message)), publicKey, signature) ? [label] : [];
  });
  const digest = `sha-256=:${createHash('sha256').update(message.body).digest('base64')}:`;
  return { labels, digest: message.headers.get('content-digest') === digest };
}
