import { hash32, mix32 } from '../../kernel/hash.ts';

const BITS = 1 << 26;
const PLACES = 3;

/**
 * Remembers keys in 8 MiB, whatever their number: it may take a strange key for a known one, never a known one for strange. Among a
 * million known keys one strange one of ten thousand is mistaken, which costs a look at the table.
 */
export class BloomFilter {
  private bits: Uint32Array | undefined;

  constructor(private readonly everything = false) {}

  add(key: string): void {
    this.bits ??= new Uint32Array(BITS >>> 5);
    const [first, step] = hashes(key);
    for (let place = 0; place < PLACES; place++) {
      const bit = (first + Math.imul(place, step)) & (BITS - 1);
      this.bits[bit >>> 5] = (this.bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
  }

  mayHave(key: string): boolean {
    if (this.everything) return true;
    if (this.bits === undefined) return false;
    const [first, step] = hashes(key);
    for (let place = 0; place < PLACES; place++) {
      const bit = (first + Math.imul(place, step)) & (BITS - 1);
      if (((this.bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}

function hashes(key: string): readonly [number, number] {
  const first = hash32(key);
  return [first, mix32(first ^ 0x5bd1e995) | 1];
}
