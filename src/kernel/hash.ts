/** Spreads keys evenly over 32 bits: FNV-1a with the finalizer of MurmurHash3. Not cryptographic. */
export function hash32(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return mix32(hash);
}

/** The finalizer of MurmurHash3: every bit of the input affects every bit of the result. */
export function mix32(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
