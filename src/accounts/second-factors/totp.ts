import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What every authenticator app understands: RFC 6238 with HMAC-SHA-1, six digits, 30 seconds. */
const STEP_SECONDS = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** Codes of the neighbouring steps are accepted, too: clocks differ, and typing takes time. */
const WINDOW = 1;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ISSUER = 'Watchledger';

export const newTotpSecret = (): string => base32(randomBytes(SECRET_BYTES));

/** RFC 4648, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[parseInt(five.padEnd(5, '0'), 2)] ?? '').join('');
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}

/** What an authenticator app scans. */
export function otpauthUri(secret: string, account: string): string {
  const query = new URLSearchParams({ secret, issuer: ISSUER, algorithm: 'SHA1', digits: String(DIGITS), period: String(STEP_SECONDS) });
  return `otpauth://totp/${ISSUER}:${encodeURIComponent(account)}?${query.toString()}`;
}

export const stepAt = (milliseconds: number): number => Math.floor(milliseconds / 1000 / STEP_SECONDS);

/** RFC 4226, 5.3: the dynamic truncation of an HMAC over the step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0');
}

export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/** The step of which it is the code; null: of none in the window. */
export function matchingStep(secret: string, code: string, now: number): number | null {
  const current = stepAt(now);
  const steps = Array.from({ length: 2 * WINDOW + 1 }, (_, index) => current - WINDOW + index);
  const same = (step: number): boolean => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code));
  return steps.find(same) ?? null;
}
