import { StartRefused } from '../../kernel/start-refused.ts';
import { createHmac, hkdfSync, timingSafeEqual, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw, deflateRaw } from 'node:zlib';
import { reasonOf } from '../../kernel/system-error.ts';

/** The file is not a complete backup, or not one for this installation; nothing was changed. */
export class BackupRefused extends StartRefused {}

/**
 * The backup format: a magic line, then frames of a letter, four bytes of length and the payload. H: the header; T: start of a table; D: a
 * piece of its rows, deflated; E: end of the table; Z: the MAC over every byte before. Nothing in it names a file or is executed.
 */
export const MAGIC = Buffer.from('watchledger-backup 1\n');
const FRAME_HEAD_BYTES = 5;
/** Maximum length of a piece of rows before compression. */
export const PIECE_BYTES = 1024 * 1024;
const MOST_BYTES = 4 * PIECE_BYTES;
export const MAC_BYTES = 32;

const KINDS = ['H', 'T', 'D', 'E', 'Z'] as const;
export type FrameKind = (typeof KINDS)[number];

export interface BackupFrame {
  readonly kind: FrameKind;
  readonly payload: Buffer;
}

export function frameHead(kind: FrameKind, length: number): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(length, 1);
  return head;
}

const derived = (master: Uint8Array, use: string): Buffer => Buffer.from(hkdfSync('sha256', master, '', `watchledger backup ${use}`, 32));

/** Keyed by the master key: without it, a backup cannot be forged. */
export const macOf = (master: Uint8Array): ReturnType<typeof createHmac> => createHmac('sha256', derived(master, 'mac'));

/** Identifies the master key without revealing it. */
export const keyIdOf = (master: Uint8Array): string => derived(master, 'key id').toString('hex', 0, 8);

const inflateBounded = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** Every frame but the last, in order; throws `BackupRefused` for a file that is truncated, has trailing data or fails its MAC. */
export async function* readFrames(path: string, master: Uint8Array): AsyncGenerator<BackupFrame> {
  const file = await openFile(path);
  try {
    const mac = macOf(master);
    const magic = await readExactly(file, MAGIC.length, path).catch(() => Buffer.alloc(0));
    if (!magic.equals(MAGIC)) throw new BackupRefused(`${path} is not a Watchledger backup`);
    mac.update(magic);
    for (;;) {
      const head = await readExactly(file, FRAME_HEAD_BYTES, path);
      const [kind, length] = [kindOf(head, path), head.readUInt32BE(1)];
      if (length > MOST_BYTES)
        throw new BackupRefused(`${path} is damaged: a frame of ${String(length)} bytes is longer than ${String(MOST_BYTES)}`);
      const payload = await readExactly(file, length, path);
      if (kind === 'Z') {
        if (length !== MAC_BYTES || !timingSafeEqual(payload, mac.digest()))
          throw new BackupRefused(`${path} fails its integrity check: it was damaged or changed, or written with another master key`);
        if ((await file.read(Buffer.alloc(1), 0, 1)).bytesRead > 0) throw new BackupRefused(`${path} has data after its end`);
        return;
      }
      mac.update(head).update(payload);
      yield { kind, payload };
    }
  } finally {
    await file.close();
  }
}

/** Bounded, so that a forged frame cannot exhaust the memory. */
export async function inflate(payload: Buffer, path: string): Promise<Buffer> {
  try {
    return await inflateBounded(payload, { maxOutputLength: PIECE_BYTES });
  } catch (cause) {
    throw new BackupRefused(`${path} is damaged: ${reasonOf(cause)}`, { cause });
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    throw new BackupRefused(reasonOf(cause), { cause });
  }
}

async function readExactly(file: FileHandle, length: number, path: string): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let at = 0; at < length;) {
    const { bytesRead } = await file.read(buffer, at, length - at);
    if (bytesRead === 0) throw new BackupRefused(`${path} is truncated`);
    at += bytesRead;
  }
  return buffer;
}

function kindOf(head: Buffer, path: string): FrameKind {
  const kind = KINDS.find((letter) => letter === head.toString('latin1', 0, 1));
  if (kind === undefined) throw new BackupRefused(`${path} is damaged`);
  return kind;
}

const deflate = promisify<Buffer, { level: number }, Buffer>(deflateRaw);
/** Fast: measurements are already packed, and events compress well at any level. */
const LEVEL = 2;

/** Writes a draft beside the file and renames it only when it is complete and synced: a failed backup never replaces the previous one. */
export class FrameWriter {
  private readonly mac;
  private bytes = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
    private readonly draft: string,
    master: Uint8Array,
  ) {
    this.mac = macOf(master);
  }

  static async create(path: string, master: Uint8Array): Promise<FrameWriter> {
    // A random name: two concurrent backups to one path must not publish each other's draft.
    const draft = `${path}.${randomBytes(6).toString('hex')}.part`;
    const writer = new FrameWriter(await open(draft, 'wx', 0o600), path, draft, master);
    await writer.put(MAGIC);
    return writer;
  }

  async json(kind: Exclude<FrameKind, 'D' | 'Z'>, value: object): Promise<void> {
    await this.frame(kind, Buffer.from(JSON.stringify(value)));
  }

  /** Rows of any length, split into frames. */
  async rows(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      await this.frame('D', await deflate(bytes.subarray(at, at + PIECE_BYTES), { level: LEVEL }));
  }

  /** Ends the file with its MAC and syncs it; answers its length in bytes. */
  async finish(): Promise<number> {
    const mac = this.mac.digest();
    await this.write(frameHead('Z', mac.length));
    await this.write(mac);
    await this.file.sync();
    await this.file.close();
    return this.bytes;
  }

  /** Replaces the file of that name atomically. */
  async publish(): Promise<void> {
    await rename(this.draft, this.path);
  }

  /** Idempotent; has no effect after `publish`. */
  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(this.draft, { force: true });
  }

  private async frame(kind: FrameKind, payload: Buffer): Promise<void> {
    await this.put(frameHead(kind, payload.length));
    await this.put(payload);
  }

  private async put(bytes: Buffer): Promise<void> {
    this.mac.update(bytes);
    await this.write(bytes);
  }

  private async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length;) at += (await this.file.write(bytes, at)).bytesWritten;
    this.bytes += bytes.length;
  }
}
