import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Sealed } from '../../../kernel/event.ts';
import { SealBroken } from './keyring.ts';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Deterministic AES-256-GCM: the IV is a keyed hash of the text, so two texts of one subject share an IV only by a collision of 96 bits.
 * It reveals whether two values of one subject are equal, and nothing else.
 */
export class SubjectKey {
  private readonly encryption: Buffer;
  private readonly mac: Buffer;
  /** The last text that was opened: every answer about a project opens the same one. It lives no longer than the key beside it. */
  private opened: { readonly sealed: string; readonly text: string } | undefined;

  constructor(
    private readonly subject: string,
    key: Uint8Array,
  ) {
    this.encryption = createHmac('sha256', key).update('encryption').digest();
    this.mac = createHmac('sha256', key).update('iv').digest();
  }

  seal(text: string): Sealed {
    const plain = Buffer.from(text, 'utf8');
    const iv = createHmac('sha256', this.mac).update(plain).digest().subarray(0, IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.encryption, iv).setAAD(Buffer.from(this.subject));
    const sealed = Buffer.concat([Buffer.of(VERSION), iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return { subject: this.subject, sealed: sealed.toString('base64url') };
  }

  open({ sealed }: Sealed): string {
    if (this.opened?.sealed !== sealed) this.opened = { sealed, text: this.decrypt(sealed) };
    return this.opened.text;
  }

  private decrypt(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes[0] !== VERSION || bytes.length < 1 + IV_BYTES + TAG_BYTES) throw new SealBroken(this.subject);
    const iv = bytes.subarray(1, 1 + IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.encryption, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(this.subject)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new SealBroken(this.subject, { cause });
    }
  }
}
