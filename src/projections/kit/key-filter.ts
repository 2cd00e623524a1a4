const BITS = 1 << 26;

/** Remembers keys in 8 MiB, whatever their number: it may take a strange key for a known one, never a known one for strange. */
export class KeyFilter {
  private readonly bits = new Uint32Array(BITS >>> 5);
  private isEmpty = true;

  constructor(private readonly everything = false) {}

  add(key: string): void {
    this.isEmpty = false;
    const bit = place(key);
    this.bits[bit >>> 5] = (this.bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  mayHave(key: string): boolean {
    if (this.everything) return true;
    if (this.isEmpty) return false;
    const bit = place(key);
    return ((this.bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }
}

function place(key: string): number {
  let value = 2_166_136_261;
  for (let index = 0; index < key.length; index++) value = Math.imul(value ^ key.charCodeAt(index), 16_777_619);
  value ^= value >>> 15;
  return Math.imul(value, 2_246_822_519) >>> 6;
}
