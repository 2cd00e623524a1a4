import { readSync, type BigIntStats, closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** The file does not follow the format of SQLite. */
export class SqliteDamaged extends Error {
  override readonly name = 'SqliteDamaged';
}

/** A writer changed pages while they were read: what was read belongs to no one instant. */
export class SqliteChanged extends Error {
  override readonly name = 'SqliteChanged';
}

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const LOG_MAGIC = 0x377f0682;
const FORMAT_VERSION = 3_007_000;
/** Frames read at once. */
const BATCH = 256;

/** The committed pages of a write-ahead log (`-wal`), as of its last commit. */
interface WriteAheadLog {
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
function readWriteAheadLog(file: number): WriteAheadLog | null {
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
function readLogHeader(file: number): Buffer {
  const bytes = Buffer.alloc(LOG_HEADER_BYTES);
  return bytes.subarray(0, readSync(file, bytes, 0, LOG_HEADER_BYTES, 0));
}

function readHeader(file: number): LogHeader | null {
  const bytes = readLogHeader(file);
  if (bytes.length < LOG_HEADER_BYTES) return null;
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== LOG_MAGIC || bytes.readUInt32BE(4) !== FORMAT_VERSION) return null;
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
  for (let from = LOG_HEADER_BYTES; ; from += batch.length) {
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

const MAGIC = 'SQLite format 3\u0000';
const HEADER_BYTES = 100;
const CACHED_PAGES = 1_000;
/** Times of files are as coarse as a tick of the kernel; a change within the tick of an earlier one would not be seen. */
const SETTLED_MS = 50;
const PATIENCE_MS = 5_000;

/** The bytes that start a rollback journal in use; one that is kept for the next transaction has zeros there. */
const JOURNAL_MAGIC = 0xd9d505f9;

/**
 * The pages of a database as of one instant, without locks: the file and its write-ahead log up to its last commit. Only a checkpoint changes the file,
 * and `close` throws when one did.
 */
export class SqliteSnapshot {
  readonly pageSize: number;
  readonly pages: number;
  /** The bytes of a page without those at its end that extensions use. */
  readonly usable: number;
  readonly encoding: 'utf8' | 'utf16le' | 'utf16be';
  private readonly cache = new LRUCache<number, Buffer>({ max: CACHED_PAGES });

  private constructor(
    private readonly file: number,
    private readonly before: BigIntStats,
    private readonly log: { readonly file: number; readonly header: Buffer; readonly content: WriteAheadLog | null } | null,
  ) {
    const first = this.header();
    const size = first.readUInt16BE(16);
    this.pageSize = size === 1 ? 65_536 : size;
    if (this.pageSize < 512 || (this.pageSize & (this.pageSize - 1)) !== 0) throw new SqliteDamaged('its page size is not one');
    if (log?.content != null && log.content.pageSize !== this.pageSize)
      throw new SqliteDamaged('its write-ahead log has another page size');
    this.usable = this.pageSize - first.readUInt8(20);
    if (this.usable < 480) throw new SqliteDamaged('its pages have no room');
    this.pages = log?.content?.pages ?? Math.floor(Number(before.size) / this.pageSize);
    this.encoding = ([null, 'utf8', 'utf16le', 'utf16be'] as const)[first.readUInt32BE(56)] ?? 'utf8';
  }

  static async open(path: string): Promise<SqliteSnapshot> {
    const file = openSync(path, 'r');
    let logFile: number | null = null;
    try {
      const before = await settled(file);
      if (hasHotJournal(`${path}-journal`)) throw new SqliteChanged('a transaction is open, or was interrupted');
      logFile = existsSync(`${path}-wal`) ? openSync(`${path}-wal`, 'r') : null;
      const log = logFile === null ? null : { file: logFile, header: readLogHeader(logFile), content: readWriteAheadLog(logFile) };
      return new SqliteSnapshot(file, before, log);
    } catch (error) {
      closeSync(file);
      if (logFile !== null) closeSync(logFile);
      throw error;
    }
  }

  page(number: number): Buffer {
    if (!Number.isInteger(number) || number < 1 || number > this.pages)
      throw new SqliteDamaged(`it refers to page ${String(number)}, which it lacks`);
    const known = this.cache.get(number);
    if (known !== undefined) return known;
    const bytes = Buffer.alloc(this.pageSize);
    const [file, offset] = this.placeOf(number);
    if (readSync(file, bytes, 0, this.pageSize, offset) < this.pageSize) throw new SqliteChanged('it became shorter');
    this.cache.set(number, bytes);
    return bytes;
  }

  /** Throws where a writer changed what may have been read. */
  verify(): void {
    const now = fstatSync(this.file, { bigint: true });
    const isSame = now.mtimeNs === this.before.mtimeNs && now.size === this.before.size;
    const hasSameLog = this.log === null || readLogHeader(this.log.file).equals(this.log.header);
    if (!isSame || !hasSameLog) throw new SqliteChanged('a writer changed it');
  }

  close(): void {
    closeSync(this.file);
    if (this.log !== null) closeSync(this.log.file);
  }

  private placeOf(page: number): readonly [file: number, offset: number] {
    const inLog = this.log?.content?.offsets.get(page);
    return inLog !== undefined && this.log !== null ? [this.log.file, inLog] : [this.file, (page - 1) * this.pageSize];
  }

  /** It stands in the first page, which the log may have. */
  private header(): Buffer {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const inLog = this.log?.content?.offsets.get(1);
    const read = readSync(inLog !== undefined && this.log !== null ? this.log.file : this.file, bytes, 0, HEADER_BYTES, inLog ?? 0);
    if (read < HEADER_BYTES || bytes.toString('latin1', 0, 16) !== MAGIC) throw new SqliteDamaged('it is not a database of SQLite');
    if (bytes.readUInt8(19) > 2) throw new SqliteDamaged('its format is newer than version 2');
    return bytes;
  }
}

/** The state of the file once it was not written for a moment. */
async function settled(file: number): Promise<BigIntStats> {
  for (const began = Date.now(); ;) {
    const state = fstatSync(file, { bigint: true });
    if (!state.isFile()) throw new SqliteDamaged('it is not a file');
    const age = Date.now() - Number(state.mtimeMs);
    // A time ahead of the clock does not settle.
    if (age < 0 || age >= SETTLED_MS || Date.now() - began > PATIENCE_MS) return state;
    await sleep(SETTLED_MS);
  }
}

function hasHotJournal(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    return readSync(file, bytes, 0, 4, 0) === 4 && bytes.readUInt32BE(0) === JOURNAL_MAGIC;
  } finally {
    closeSync(file);
  }
}
