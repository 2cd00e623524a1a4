const MAX_ENTRY_BYTES = 0xffff;

/** C2SP tlog-tiles, log entries: each behind its length as a big-endian uint16. Events are bounded well below that. */
export function entryBundle(leaves: readonly string[]): Buffer {
  return Buffer.concat(
    leaves.flatMap((leaf) => {
      const bytes = Buffer.from(leaf);
      if (bytes.length > MAX_ENTRY_BYTES) throw new RangeError(`an entry of ${String(bytes.length)} bytes fits no bundle`);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      return [length, bytes];
    }),
  );
}
