import { readSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const FORMAT_VERSION = 3_007_000;
/** Frames read at once. */
const BATCH = 256;

/** The committed pages of a write-ahead log (`-wal`), as of its last commit. */
export interface WriteAheadLog {
  readonly pageSize: number;
  /** The size of the database with them, in pages. */
  readonly pages: number;
  /** The offset at which the newest content of each page begins. */
  readonly offsets: ReadonlyMap<number, number>;
}

interface LogHeader {
  readonly bytes: Buffer;
  readonly pageSize: number;
  readonly isBigEndian: boolean;
  readonly checksum: readonly [number, number];
}

/** Null when nothing is committed in it: a log that was reset keeps old frames, which have other salts. */
export function readWriteAheadLog(file: number): WriteAheadLog | null {
  const header = readHeader(file);
  if (header === null) return null;
  const committed = new Map<number, number>();
  let uncommitted = new Map<number, number>();
  let [pages, checksum] = [0, header.checksum];
  for (const { offset, frame } of framesOf(file, header.pageSize)) {
    checksum = checksumOf(frame.subarray(FRAME_HEADER_BYTES), checksumOf(frame.subarray(0, 8), checksum, header), header);
    const hasSalts = frame.subarray(8, 16).equals(header.bytes.subarray(16, 24));
    if (!hasSalts || frame.readUInt32BE(16) !== checksum[0] || frame.readUInt32BE(20) !== checksum[1]) break;
    uncommitted.set(frame.readUInt32BE(0), offset + FRAME_HEADER_BYTES);
    const pagesAfterCommit = frame.readUInt32BE(4);
    if (pagesAfterCommit === 0) continue;
    pages = pagesAfterCommit;
    for (const [page, at] of uncommitted) committed.set(page, at);
    uncommitted = new Map();
  }
  return pages === 0 ? null : { pageSize: header.pageSize, pages, offsets: committed };
}

/** Changes with every reset of the log. */
export function readLogHeader(file: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  return bytes.subarray(0, readSync(file, bytes, 0, HEADER_BYTES, 0));
}

function readHeader(file: number): LogHeader | null {
  const bytes = readLogHeader(file);
  if (bytes.length < HEADER_BYTES) return null;
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC || bytes.readUInt32BE(4) !== FORMAT_VERSION) return null;
  const pageSize = bytes.readUInt32BE(8);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return null;
  const isBigEndian = (magic & 1) === 1;
  const checksum = checksumOf(bytes.subarray(0, 24), [0, 0], { isBigEndian });
  const isIntact = bytes.readUInt32BE(24) === checksum[0] && bytes.readUInt32BE(28) === checksum[1];
  return isIntact ? { bytes, pageSize, isBigEndian, checksum } : null;
}

function* framesOf(file: number, pageSize: number): Generator<{ readonly offset: number; readonly frame: Buffer }> {
  const size = FRAME_HEADER_BYTES + pageSize;
  const batch = Buffer.alloc(size * BATCH);
  for (let from = HEADER_BYTES; ; from += batch.length) {
    const read = readSync(file, batch, 0, batch.length, from);
    for (let at = 0; at + size <= read; at += size) yield { offset: from + at, frame: batch.subarray(at, at + size) };
    if (read < batch.length) return;
  }
}

/** Cumulative: a frame is valid only behind valid ones. */
function checksumOf(
  bytes: Buffer,
  [first, second]: readonly [number, number],
  { isBigEndian }: Pick<LogHeader, 'isBigEndian'>,
): readonly [number, number] {
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    first = (first + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + second) >>> 0;
    second = (second + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + first) >>> 0;
  }
  return [first, second];
}
