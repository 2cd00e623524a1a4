import { hash32, mix32 } from '../../../kernel/hash.ts';

const BITS = 1 << 26;
const HASHES = 3;

/** A Bloom filter of 8 MiB: no false negatives, and one false positive in ten thousand among a million keys, which costs a query of the table. */
export class BloomFilter {
  private bits: Uint32Array | undefined;

  /** `everything`: answers that it may have any key. */
  constructor(private readonly everything = false) {}

  add(key: string): void {
    this.bits ??= new Uint32Array(BITS >>> 5);
    const [first, step] = hashes(key);
    for (let index = 0; index < HASHES; index++) {
      const bit = (first + Math.imul(index, step)) & (BITS - 1);
      this.bits[bit >>> 5] = (this.bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
  }

  mayHave(key: string): boolean {
    if (this.everything) return true;
    if (this.bits === undefined) return false;
    const [first, step] = hashes(key);
    for (let index = 0; index < HASHES; index++) {
      const bit = (first + Math.imul(index, step)) & (BITS - 1);
      if (((this.bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}

/** Double hashing: the step is odd, so that it shares no divisor with the number of bits. */
function hashes(key: string): readonly [number, number] {
  const first = hash32(key);
  return [first, mix32(first ^ 0x5bd1e995) | 1];
}
