import { createHash, createPublicKey, verify } from 'node:crypto';

/** Written from C2SP signed-note, tlog-checkpoint and tlog-cosignature alone: it shares no code with src/proof and src/client, so that both cannot be wrong alike. */
export interface Vkey {
  readonly name: string;
  readonly id: Buffer;
  readonly type: number;
  readonly publicKey: Buffer;
}

export function readVkey(text: string): Vkey {
  const [name = '', hexId = ''] = text.split('+', 2);
  const material = Buffer.from(text.slice(name.length + hexId.length + 2), 'base64');
  const id = Buffer.from(hexId, 'hex');
  const expected = createHash('sha256').update(name).update('\n').update(material).digest().subarray(0, 4);
  if (name === '' || material.length !== 33 || !id.equals(expected)) throw new Error(`not a vkey: ${text}`);
  return { name, id, type: material[0] ?? 0, publicKey: material.subarray(1) };
}

interface SignatureLine {
  readonly name: string;
  readonly id: Buffer;
  readonly bytes: Buffer;
}

export interface OpenNote {
  readonly text: string;
  readonly lines: readonly SignatureLine[];
}

export function readNote(note: string): OpenNote {
  const at = note.lastIndexOf('\n\n');
  if (at < 0 || !note.endsWith('\n')) throw new Error('a note ends with an empty line, signature lines and a newline');
  const lines = note
    .slice(at + 2, -1)
    .split('\n')
    .map((line) => {
      const [dash, name = '', blob = '', ...more] = line.split(' ');
      const bytes = Buffer.from(blob, 'base64');
      if (dash !== '\u2014' || name === '' || bytes.length < 5 || bytes.toString('base64') !== blob || more.length > 0)
        throw new Error(`not a signature line: ${line}`);
      return { name, id: bytes.subarray(0, 4), bytes: bytes.subarray(4) };
    });
  return { text: note.slice(0, at + 1), lines };
}

const isOf = ({ name, id }: Vkey, line: SignatureLine): boolean => line.name === name && line.id.equals(id);

function isSigned(message: Uint8Array, signature: Uint8Array, { publicKey }: Vkey): boolean {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }, format: 'jwk' });
  return signature.length === 64 && verify(null, message, key, signature);
}

/** Whether the key of a log signed the note. */
export const isSignedBy = ({ text, lines }: OpenNote, vkey: Vkey): boolean =>
  vkey.type === 1 && lines.some((line) => isOf(vkey, line) && isSigned(Buffer.from(text), line.bytes, vkey));

/** When a witness cosigned the note, in seconds since 1970; null: it did not. */
export function cosignedAt({ text, lines }: OpenNote, vkey: Vkey): bigint | null {
  if (vkey.type !== 4) return null;
  for (const line of lines) {
    if (!isOf(vkey, line) || line.bytes.length !== 72) continue;
    const time = line.bytes.readBigUInt64BE();
    const message = Buffer.concat([Buffer.from('cosignature/v1\n'), Buffer.from(`time ${time.toString()}\n`), Buffer.from(text)]);
    if (isSigned(message, line.bytes.subarray(8), vkey)) return time;
  }
  return null;
}

export interface OpenTree {
  readonly origin: string;
  readonly size: bigint;
  readonly root: Buffer;
}

export function readTree({ text }: OpenNote): OpenTree {
  const [origin = '', size = '', root = ''] = text.split('\n');
  const hash = Buffer.from(root, 'base64');
  if (origin === '' || !/^(0|[1-9][0-9]*)$/.test(size) || hash.length !== 32 || hash.toString('base64') !== root)
    throw new Error(`not a checkpoint: ${text}`);
  return { origin, size: BigInt(size), root: hash };
}
