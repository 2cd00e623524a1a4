import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export class MasterKeyWrong extends Error {
  override readonly name = 'MasterKeyWrong';
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Envelope encryption: wraps a key with the master key by AES-256-GCM. The name is authenticated, so a wrapped key works under its name only. */
export function wrap(master: Uint8Array, name: string, key: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(Buffer.from(name));
  return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

export function unwrap(master: Uint8Array, name: string, wrapped: Uint8Array): Buffer {
  const bytes = Buffer.from(wrapped);
  const decipher = createDecipheriv('aes-256-gcm', master, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new MasterKeyWrong(`the master key cannot decrypt "${name}": set the master key with which this database was created`, { cause });
  }
}
