import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';

/** Variable-length integers (varints, seven bits per byte), up to 2^53. */
export class ByteWriter {
  private buffer = Buffer.allocUnsafe(256);
  private length = 0;

  unsigned(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest > 0x7f) {
      this.buffer[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.buffer[this.length++] = rest;
  }

  /** Zigzag encoding: small magnitudes stay short on either side of zero. */
  signed(value: number): void {
    this.unsigned(value < 0 ? -value * 2 - 1 : value * 2);
  }

  text(value: string): void {
    this.bytes(Buffer.from(value, 'utf8'));
  }

  bytes(value: Uint8Array): void {
    this.unsigned(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
  }

  done(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.length));
  }

  private reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + more));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

const PLAIN = 0;
const DEFLATED = 1;
/** Below this size compression saves nothing. */
const MIN_DEFLATE_BYTES = 48;

/** Deflates where that is shorter; the first byte names the format. `from`: so many bytes at least. */
export function deflatePack(bytes: Uint8Array, level: number = constants.Z_DEFAULT_COMPRESSION, from = MIN_DEFLATE_BYTES): Buffer {
  if (bytes.length >= from) {
    const deflated = deflateRawSync(bytes, { level });
    if (deflated.length < bytes.length) return Buffer.concat([Buffer.of(DEFLATED), deflated]);
  }
  return Buffer.concat([Buffer.of(PLAIN), bytes]);
}

/** Packs are small, and zlib allocates its default of 16 KB for each. */
const chunkFor = (rest: Uint8Array): number => Math.max(64, rest.length * 4);

export function inflatePack(bytes: Uint8Array): Uint8Array {
  const rest = bytes.subarray(1);
  if (bytes[0] === PLAIN) return rest;
  if (bytes[0] === DEFLATED) return inflateRawSync(rest, { chunkSize: chunkFor(rest) });
  throw new RangeError('packed bytes have an unknown format');
}
