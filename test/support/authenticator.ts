import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** As `navigator.credentials` answers. */
interface Answered {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: Readonly<Record<string, string | readonly string[]>>;
  readonly clientExtensionResults: object;
}

interface Options {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor> | readonly Cbor[];

/** As much of RFC 8949 as an authenticator writes. */
export function cbor(value: Cbor): Buffer {
  const head = (major: number, length: number): Buffer =>
    length < 24
      ? Buffer.of((major << 5) | length)
      : length < 256
        ? Buffer.of((major << 5) | 24, length)
        : Buffer.of((major << 5) | 25, length >> 8, length & 255);
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const members = [...(value as ReadonlyMap<number | string, Cbor>)].flatMap(([name, member]) => [cbor(name), cbor(member)]);
    return Buffer.concat([head(5, value.size), ...members]);
  }
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(cbor)]);
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

export interface AnswerChanges {
  readonly origin?: string;
  readonly counter?: number;
  readonly verified?: boolean;
  readonly userHandle?: string | null;
  readonly type?: string;
}

/** A software authenticator: ES256, attestation `none`, real signatures. */
export class Authenticator {
  readonly id = randomBytes(32).toString('base64url');
  counter = 0;
  private handle = '';
  private readonly privateKey: KeyObject;
  private readonly coordinates: { readonly x: Buffer; readonly y: Buffer };

  constructor(
    private readonly rpId: string,
    private readonly origin: string,
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.privateKey = privateKey;
    this.coordinates = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') };
  }

  /** `attestation`: format and statement; the credential's id may be that of another. */
  create(
    { challenge, user }: Options,
    { credentialId = this.id, attestation = ['none', new Map<string, Cbor>()], ...changes }: CreateChanges = {},
  ): Answered {
    this.handle = user?.id ?? '';
    const { x, y } = this.coordinates;
    const id = Buffer.from(credentialId, 'base64url');
    const key = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, x],
      [-3, y],
    ]);
    const size = Buffer.of(id.length >> 8, id.length & 255);
    const authData = Buffer.concat([this.head(ATTESTED, changes), Buffer.alloc(16), size, id, cbor(key)]);
    const [format, statement] = attestation;
    const object = new Map<string, Cbor>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', authData],
    ]);
    const clientDataJSON = this.clientData('webauthn.create', challenge, changes).toString('base64url');
    return this.answer({ clientDataJSON, attestationObject: cbor(object).toString('base64url'), transports: ['internal'] }, credentialId);
  }

  get({ challenge }: Options, changes: AnswerChanges & { readonly credentialId?: string } = {}): Answered {
    this.counter = changes.counter ?? this.counter + 1;
    const authData = this.head(0, changes);
    const clientData = this.clientData('webauthn.get', challenge, changes);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    const userHandle = changes.userHandle === undefined ? this.handle : changes.userHandle;
    return this.answer(
      {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: createSign('sha256').update(signed).sign(this.privateKey).toString('base64url'),
        ...(userHandle === null ? {} : { userHandle }),
      },
      changes.credentialId ?? this.id,
    );
  }

  private head(flags: number, { verified = true }: AnswerChanges): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const all = flags | PRESENT | (verified ? VERIFIED : 0);
    return Buffer.concat([createHash('sha256').update(this.rpId).digest(), Buffer.of(all), counter]);
  }

  private clientData(type: string, challenge: string, changes: AnswerChanges): Buffer {
    const data = { type: changes.type ?? type, challenge, origin: changes.origin ?? this.origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data));
  }

  private answer(response: Answered['response'], id: string): Answered {
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }
}

interface CreateChanges extends AnswerChanges {
  readonly credentialId?: string;
  readonly attestation?: readonly [string, ReadonlyMap<string, Cbor>];
}
