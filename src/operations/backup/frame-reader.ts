import { timingSafeEqual } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { reasonOf } from '../../kernel/system-error.ts';
import { BackupRefused } from './backup-refused.ts';
import { type BackupFrame, FRAME_HEAD_BYTES, type FrameKind, KINDS, MAC_BYTES, MAGIC, macOf, MOST_BYTES, PIECE_BYTES } from './frames.ts';

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
