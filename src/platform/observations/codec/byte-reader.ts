const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads what `ByteWriter` wrote. Without Node's modules, because statements are recomputed in a browser. */
export class ByteReader {
  private position = 0;

  constructor(private readonly buffer: Uint8Array) {}

  get ended(): boolean {
    return this.position >= this.buffer.length;
  }

  unsigned(): number {
    const { buffer } = this;
    let byte = this.next();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let factor = 0x80;
    do {
      if (this.position >= buffer.length) throw new RangeError('packed bytes are truncated');
      byte = this.next();
      value += (byte & 0x7f) * factor;
      factor *= 0x80;
    } while (byte >= 0x80);
    return value;
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  text(): string {
    return utf8.decode(this.bytes());
  }

  bytes(): Uint8Array {
    return this.raw(this.unsigned());
  }

  raw(length: number): Uint8Array {
    if (this.position + length > this.buffer.length) throw new RangeError('packed bytes are truncated');
    return this.buffer.subarray(this.position, (this.position += length));
  }

  private next(): number {
    const byte = this.buffer[this.position++];
    if (byte === undefined) throw new RangeError('packed bytes are truncated');
    return byte;
  }
}
